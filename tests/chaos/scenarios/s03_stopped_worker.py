"""A worker stands still for twice its lease, wakes up, and believes that nothing happened."""

from tests.chaos.case import Case
from tests.chaos.evidence import Run
from tests.chaos.load import deed, sleep_20_ms
from tests.chaos.scenario import Scenario
from tests.chaos.staff import CONCURRENCY, LEASE_S
from tests.chaos.stage import Stage

_LONG = deed("sleep", weight=1, **{"for": 3 * LEASE_S})


class StoppedWorker(Scenario):
    id = "S3"
    title = "worker stopped for 2 leases"
    does = "Stops a worker (SIGSTOP) for twice its lease, every 7 s; some jobs take 3 leases."
    must = (
        "At most 8 repeats a stop; every late outcome is refused; "
        "a handler is cancelled within 1 s of waking up."
    )
    seconds = 60
    short = 18

    def play(self, stage: Stage) -> None:
        stage.staff.hire(2)
        stage.begin(deeds=[sleep_20_ms(400), _LONG])
        for _ in stage.beats(2.5, least_s=2 * LEASE_S):
            sleeper = stage.staff.pick()
            stage.staff.freeze(sleeper)
            stage.wait(2 * LEASE_S)
            stage.staff.thaw(sleeper)

    def judge(self, case: Case) -> None:
        case.dup_limit = case.overlap_limit = case.faults * CONCURRENCY
        late = case.late_runs()
        case.expect(late or case.faults < 4, "nobody was ever late")
        case.outcomes_were_refused(late)
        case.recovered_within(1.0, _cancellations(case, late), "ending a handler after waking up")
        case.calls_were_answered()
        case.adds_were_exact()


def _cancellations(case: Case, late: list[Run]) -> list[float]:
    """Seconds from the waking up of a worker to the end of each of its late runs."""
    thaws = case.evidence.others["thawed"]
    return [
        run.ended - max(thaw.at for thaw in thaws if thaw.number == run.pid and thaw.at < run.ended)
        for run in late
        if run.ended is not None
    ]
