"""Workers whose clocks are five seconds late, right, and five seconds early; delayed jobs."""

from tests.chaos.case import Case
from tests.chaos.load import deed, sleep_20_ms
from tests.chaos.scenario import Scenario
from tests.chaos.stage import Stage

_EARLY_S, _LATE_S = 0.05, 0.2


class ClockSkew(Scenario):
    id = "S19"
    title = "clocks of workers are wrong"
    does = "Three workers, clocks 5 s late, right and 5 s early; a third of the jobs is delayed."
    must = "Delayed jobs start at most 50 ms early and 200 ms late, by the clock of the server."
    seconds = 45
    short = 14
    alone = True

    def play(self, stage: Stage) -> None:
        for skew_s in (-5.0, 0.0, 5.0):
            stage.record.fault("skew")
            stage.staff.hire(1, skew_s=skew_s)
        delayed = deed("sleep", options={"delay": 3.0}, **{"for": 0.02})
        stage.begin(deeds=[sleep_20_ms(2), delayed], seconds=stage.seconds - 4)
        stage.wait_for_end()

    def judge(self, case: Case) -> None:
        late = [
            (case.evidence.runs[job_id][0].began_ms - stored.due_ms) / 1_000
            for job_id, stored in case.evidence.stored.items()
            if stored.asked_delay_ms and case.evidence.runs[job_id]
        ]
        case.expect(len(late) > 100, f"only {len(late)} delayed jobs ran")
        case.expect(min(late) >= -_EARLY_S, f"a job started {-min(late):.3f} s early")
        case.recovered_within(_LATE_S, [max(0.0, by) for by in late], "starting when due")
        case.no_stalls()
        case.calls_were_answered()
        case.adds_were_exact()
