"""A deployment without an end: workers are asked to leave, one after the other, under load."""

from tests.chaos.case import Case
from tests.chaos.load import deed, sleep_20_ms
from tests.chaos.scenario import Scenario
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
        leaving = None
        for _ in stage.beats(5.5, jitter=0.1):
            if leaving:
                stage.staff.see_off(leaving)
            leaving = stage.staff.present[0]
            stage.record.fault("term", leaving.child.pid)
            stage.staff.replace(leaving)
            stage.staff.dismiss(leaving)
        if leaving:
            stage.staff.see_off(leaving)
        # The last to leave let everybody finish.
        stage.staff.hire(2, drain_timeout=_LONG_S + 2)
        for hand in stage.staff.present[:-2]:
            stage.staff.dismiss(hand)
        for hand in stage.staff.hands[:-2]:
            if hand.child.is_running:
                stage.staff.see_off(hand)

    def judge(self, case: Case) -> None:
        given_back = case.evidence.others["JobGivenBack"]
        case.dup_limit = len(given_back)
        case.expect(given_back, "no job was given back")
        long = {entry.subject for entry in given_back}
        case.expect(not case.dups(lambda job: job not in long), "a short job ran twice")
        ended = [run for job_id in long for run in case.evidence.runs[job_id]]
        short = [run.job_id for run in ended if run.how == "done" and run.ended - run.began < 5]
        case.expect(not short, f"short jobs were given back: {short[:3]}")
        case.no_stalls()
        case.calls_were_answered()
        case.adds_were_exact()
