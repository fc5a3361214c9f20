"""The server is killed and comes back two seconds later; its file is written every second."""

from typing import ClassVar

from tests.chaos.case import Case
from tests.chaos.scenario import Scenario
from tests.chaos.staff import CONCURRENCY
from tests.chaos.stage import Stage

_ABSENCE_S = 2


class KilledServer(Scenario):
    id = "S15"
    title = "server killed, everysec"
    does = "Kills the server 6 times (append-only, fsync every second); back 2 s later."
    must = "No acknowledged job is lost; 16 repeats a kill are the alarm; work resumes within 3 s."
    seconds = 60
    short: ClassVar[float | None] = 20
    server: ClassVar = {"append_only": True, "appendfsync": "everysec"}

    def play(self, stage: Stage) -> None:
        stage.staff.hire(2)
        stage.begin()
        for _ in stage.beats(6.5, jitter=0.1, least_s=_ABSENCE_S + 4):
            stage.record.fault("server")
            stage.server.kill()
            stage.wait(_ABSENCE_S)
            stage.server.start()
            stage.record.healed()

    def judge(self, case: Case) -> None:
        case.dup_limit = case.overlap_limit = case.faults * 2 * CONCURRENCY
        case.recovered_within(3.0, case.resumptions(), "resuming")
        case.adds_were_exact()
