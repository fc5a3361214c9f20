"""The server is gone for a minute, and those who wait for it keep quiet."""

from typing import ClassVar

from tests.chaos.case import Case
from tests.chaos.scenario import Scenario
from tests.chaos.staff import CONCURRENCY
from tests.chaos.stage import Stage

_ABSENCE_S = 60
_BUSY_SHARE = 0.02


class LongOutage(Scenario):
    id = "S33"
    title = "server gone for a minute"
    does = "Kills the server (append-only); back 60 s later."
    must = (
        "A worker tries about once a second on a connection, and none takes 2 % of a core; "
        "work resumes within 5 s."
    )
    seconds = 85
    server: ClassVar = {"append_only": True, "appendfsync": "everysec"}

    def play(self, stage: Stage) -> None:
        stage.staff.hire(2)
        stage.begin()
        stage.wait(10)
        stage.record.fault("server")
        stage.server.kill()
        stage.wait(10)
        stage.staff.watch_cpu(_ABSENCE_S - 10, stage.wait)
        stage.server.start()
        stage.record.healed()
        stage.wait_for_end()

    def judge(self, case: Case) -> None:
        case.dup_limit = case.overlap_limit = case.faults * 2 * CONCURRENCY
        case.recovered_within(5.0, case.resumptions(), "resuming")
        busiest = max(entry.number for entry in case.evidence.others["cpu"]) / 1_000
        case.expect(busiest < _BUSY_SHARE, f"a waiting worker took {busiest:.1%} of a core")
        # Rests are drawn from 0 to 2 s. Those of `calls` are of many callers.
        restored = case.evidence.others["restored"]
        attempts = max(entry.number for entry in restored if entry.subject != "calls")
        case.expect(attempts <= 1.25 * _ABSENCE_S, f"{attempts} attempts in {_ABSENCE_S} s")
        case.adds_were_exact()
