"""toril and BullMQ 5 pause and resume one queue all the time, and die in the middle of it."""

from tests.chaos.case import Case
from tests.chaos.scenario import Scenario
from tests.chaos.staff import CONCURRENCY
from tests.chaos.stage import Stage


class PausesBesideNode5(Scenario):
    id = "S38a"
    title = "pauses beside Node 5"
    does = (
        "toril and a worker of Node 5.62.0 pause and resume the queue several times a second; "
        "kills a worker of either side every 4 s, the one of Node in the middle of that."
    )
    must = "No job is lost in a list; at most 8 repeats a kill; both sides work."
    seconds = 45

    def play(self, stage: Stage) -> None:
        stage.staff.hire()
        stage.staff.hire(node="bullmq5", storms=0.1)
        stage.begin()
        with stage.queue() as queue:
            for number in stage.beats(0.2):
                queue.pause()
                stage.wait(stage.dice.uniform(0, 0.1))
                queue.resume()
                if number % 16 == 15:
                    victim = stage.staff.pick()
                    stage.staff.kill(victim)
                    stage.staff.replace(victim)

    def judge(self, case: Case) -> None:
        case.dup_limit = case.faults * CONCURRENCY
        case.both_sides_worked()
        case.calls_were_answered()
        case.adds_were_exact()
