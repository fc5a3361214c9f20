"""Handlers that block the worker's event loop for three leases."""

from typing import ClassVar

from tests.chaos.case import Case
from tests.chaos.load import deed
from tests.chaos.scenario import Scenario
from tests.chaos.staff import LEASE_S
from tests.chaos.stage import Stage


class BlockedLoop(Scenario):
    id = "S5a"
    title = "time.sleep on the loop"
    does = "An `async def` handler calls `time.sleep` for three leases, 4 times."
    must = "No lock is lost; nothing runs twice."
    seconds = 30
    short: ClassVar[float | None] = 14
    deed = "block"

    def play(self, stage: Stage) -> None:
        stage.staff.hire(2)
        stage.begin()
        with stage.queue() as queue:
            for _ in stage.beats(6.5, jitter=0.1, least_s=0.5):
                stage.record.fault(self.deed)
                stage.producers.add(queue, deed(self.deed, **{"for": 3 * LEASE_S})["data"])

    def judge(self, case: Case) -> None:
        case.recoveries = case.pickups()
        lost = case.evidence.others["LeaseLost"]
        case.expect(not lost, f"{len(lost)} leases were lost")
        case.no_stalls()
        case.calls_were_answered()
        case.adds_were_exact()
