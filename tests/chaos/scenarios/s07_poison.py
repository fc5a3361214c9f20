"""Jobs that kill the worker they run on, among a thousand that do not."""

from tests.chaos.case import Case
from tests.chaos.scenario import Scenario
from tests.chaos.staff import CONCURRENCY
from tests.chaos.stage import Stage

_WAYS = ("exit", "segv", "kill")
_LOSSES = 3 + 1
"""How often a job may be lost with its worker, and once more."""


class Poison(Scenario):
    id = "S7"
    title = "jobs that kill their worker"
    does = (
        "Three jobs among 1,000 end their worker: `os._exit`, a segmentation fault, "
        "and the SIGKILL of the kernel when memory is short."
    )
    must = "Each of the three fails after its fourth loss; all others end; work resumes within 4 s."
    seconds = 60
    short = 30

    def play(self, stage: Stage) -> None:
        stage.staff.has_successors = True
        stage.staff.hire(2)
        stage.begin(rate=500 / (stage.seconds - 5), seconds=stage.seconds - 5)
        with stage.queue() as queue:
            for how in _WAYS:
                stage.wait(stage.seconds / 12)
                stage.producers.add(queue, {"do": "die", "how": how})
        stage.wait_for_end()

    def judge(self, case: Case) -> None:
        case.dup_limit = case.faults * CONCURRENCY
        case.recovered_within(4.0, case.resumptions("fault"), "starting any job after a death")
        poison = [key for key, stored in case.evidence.stored.items() if stored.name == "die"]
        case.expect(len(poison) == len(_WAYS), f"{len(poison)} jobs that kill, not {len(_WAYS)}")
        for job_id in poison:
            runs = len(case.evidence.runs[job_id])
            case.expect(case.evidence.stored[job_id].is_spent, f"{job_id} was not failed")
            # Of two in one process one dies with the other, perhaps before it began.
            case.expect(runs <= _LOSSES, f"{job_id} killed {runs} workers, not {_LOSSES}")
            stalls = case.evidence.stored[job_id].number("stc")
            case.expect(stalls == _LOSSES, f"{job_id} was lost {stalls} times, not {_LOSSES}")
        case.calls_were_answered()
        case.adds_were_exact()
