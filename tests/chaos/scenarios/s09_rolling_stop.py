"""A deployment without an end: workers are asked to leave, one after the other, under load."""

from tests.chaos.case import Case
from tests.chaos.evidence import Run
from tests.chaos.load import deed, sleep_20_ms
from tests.chaos.scenario import Scenario
from tests.chaos.staff import Hand
from tests.chaos.stage import Stage

_DRAIN_S = 3
_LONG_S = 10


class RollingStop(Scenario):
    id = "S9"
    title = "rolling SIGTERM"
    does = "Replaces a worker every 5.5 s (SIGTERM, 3 s to drain); some jobs take 10 s."
    must = (
        "Each worker has left after 6 s with code 0; only jobs longer than the drain run again, "
        "and giving them back counts as no stall."
    )
    seconds = 90
    short = 24
    drain_s = 40

    def play(self, stage: Stage) -> None:
        stage.staff.hire(2, drain_timeout=_DRAIN_S)
        stage.begin(deeds=[sleep_20_ms(800), deed("sleep", weight=1, **{"for": _LONG_S})])
        for _ in stage.beats(5.5, jitter=0.1):
            [oldest, *_] = stage.staff.present
            stage.record.fault("term", oldest.child.pid)
            stage.staff.replace(oldest)
            self._send_home(stage, oldest)
        # Two that stay as long as the longest job takes, so that it can end.
        last = stage.staff.hire(2, drain_timeout=_LONG_S + 2)
        for hand in stage.staff.present:
            if hand not in last:
                self._send_home(stage, hand)

    def _send_home(self, stage: Stage, hand: Hand) -> None:
        """Ask it to leave; those that were asked earlier must be gone by then."""
        for earlier in stage.staff.hands:
            if earlier.told_at:
                stage.staff.see_off(earlier)
        stage.staff.dismiss(hand)

    def judge(self, case: Case) -> None:
        given_back = {entry.subject for entry in case.evidence.others["JobGivenBack"]}
        long = {run.job_id for run in case.evidence.all_runs if _seconds(run) > _DRAIN_S - 0.5}
        case.expect(given_back & long, "no job was cancelled and given back")
        case.dup_limit = len(case.evidence.others["JobGivenBack"])
        case.expect(not case.dups(lambda job_id: job_id not in long), "a short job ran twice")
        case.no_stalls()
        case.calls_were_answered()
        case.adds_were_exact()


def _seconds(run: Run) -> float:
    return (run.ended or run.began) - run.began
