"""Handlers that take ten times as long as their lease."""

from tests.chaos.case import Case
from tests.chaos.load import deed
from tests.chaos.scenario import Scenario
from tests.chaos.staff import LEASE_S
from tests.chaos.stage import Stage

_LONG = deed("sleep", **{"for": 10 * LEASE_S})["data"]


class LongJob(Scenario):
    id = "S6"
    title = "handlers of 10 leases"
    does = "Handlers of ten leases among ordinary ones, on the loop and in threads."
    must = "Each runs once, and is never counted as stalled."
    seconds = 45
    short = 24

    def play(self, stage: Stage) -> None:
        stage.staff.hire(2)
        stage.staff.hire(1, threads=True)
        stage.begin()
        with stage.queue() as queue:
            for _ in range(8):
                stage.producers.add(queue, _LONG)
        stage.wait_for_end()

    def judge(self, case: Case) -> None:
        long = [run for run in case.evidence.all_runs if (run.ended or 0) - run.began > 5]
        case.expect(len(long) == 8, f"{len(long)} long runs, not 8")
        case.no_stalls()
        case.calls_were_answered()
        case.adds_were_exact()
