"""Two hundred kills at random moments, spread over twenty thousand jobs."""

from tests.chaos.case import Case
from tests.chaos.scenario import Scenario
from tests.chaos.staff import CONCURRENCY
from tests.chaos.stage import Stage

_KILLS = 200


class TwoHundredKills(Scenario):
    id = "K200"
    title = "200 random kill -9"
    does = "Kills a random worker 200 times, 0.63 s apart, over 20,000 jobs and two minutes."
    must = "All 20,000 end; at most 8 repeats a kill."
    seconds = 126
    drain_s = 60

    def play(self, stage: Stage) -> None:
        stage.staff.hire(2)
        stage.begin(rate=10_000 / 125, seconds=125)
        for _ in range(_KILLS):
            stage.wait(stage.dice.uniform(0.26, 1.0))
            victim = stage.staff.pick()
            stage.staff.kill(victim)
            stage.staff.replace(victim)

    def judge(self, case: Case) -> None:
        case.dup_limit = case.faults * CONCURRENCY
        case.recoveries = case.victims()
        case.calls_were_answered()
        case.adds_were_exact()
        jobs = len(case.evidence.stored)
        case.expect(jobs == 20_000, f"{jobs} jobs, not 20,000")
        case.expect(case.faults == _KILLS, f"{case.faults} kills, not {_KILLS}")
