"""Workers of toril and of Node share a queue, and both are killed."""

from tests.chaos.case import Case
from tests.chaos.scenario import Scenario
from tests.chaos.staff import CONCURRENCY
from tests.chaos.stage import Stage


class MixedFleet(Scenario):
    id = "S38"
    title = "kill -9 in a mixed fleet"
    does = (
        "A worker of toril and one of Node 5.62.0; kills one of them every 5 s, "
        "every third time both, and starts others. Both look for lost jobs."
    )
    must = "At most 8 repeats a kill; a victim runs again within 4 s; both sides work."
    seconds = 90

    def play(self, stage: Stage) -> None:
        stage.staff.hire()
        stage.staff.hire(node="bullmq5")
        stage.begin()
        for number in stage.beats(5):
            victims = stage.staff.present if number % 3 == 2 else [stage.staff.pick()]
            for victim in victims:
                stage.staff.kill(victim)
            for victim in victims:
                stage.staff.replace(victim)

    def judge(self, case: Case) -> None:
        case.dup_limit = case.faults * CONCURRENCY
        case.recovered_within(4.0, case.victims(), "running a victim again")
        case.both_sides_worked()
        case.calls_were_answered()
        case.adds_were_exact()
