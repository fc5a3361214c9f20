"""A worker is killed every four seconds, and another takes its place."""

from tests.chaos.case import Case
from tests.chaos.scenario import Scenario
from tests.chaos.staff import CONCURRENCY
from tests.chaos.stage import Stage


class KilledWorkers(Scenario):
    id = "S1"
    title = "kill -9 of a worker"
    does = "Kills one of two workers every 4 s and starts another."
    must = "At most 8 repeats a kill; a victim runs again within 4 s."
    seconds = 60
    short = 16

    def play(self, stage: Stage) -> None:
        stage.staff.hire(2)
        stage.begin()
        for _ in stage.beats(4):
            victim = stage.staff.pick()
            stage.staff.kill(victim)
            stage.staff.replace(victim)

    def judge(self, case: Case) -> None:
        case.dup_limit = case.faults * CONCURRENCY
        case.recovered_within(4.0, case.victims(), "running a victim again")
        case.calls_were_answered()
        case.adds_were_exact()
