"""Handlers that raise what is not meant for handlers, and one that will not be cancelled."""

from tests.chaos.case import Case
from tests.chaos.load import deed
from tests.chaos.programs.deeds import ERRORS
from tests.chaos.scenario import Scenario
from tests.chaos.stage import Stage

_KINDS = (*ERRORS, "BaseExceptionGroup")
_ATTEMPTS = 2


class StrangeErrors(Scenario):
    id = "S8"
    title = "errors not made for handlers"
    does = (
        "Handlers raise CancelledError, KeyboardInterrupt, SystemExit, GeneratorExit, "
        "BaseExceptionGroup, RecursionError, MemoryError; one ignores its cancellation."
    )
    must = "Each job is tried as often as it asks and fails with its reason; the worker lives."
    seconds = 20
    short = 10

    def play(self, stage: Stage) -> None:
        stage.staff.hire(2, drain_timeout=1)
        stage.staff.hire(1, threads=True)
        stage.begin(seconds=stage.seconds - 2)
        with stage.queue() as queue:
            for kind in _KINDS * 8:
                stage.record.fault(kind)
                data = {"do": "raise", "how": kind}
                stage.producers.add(queue, data, attempts=_ATTEMPTS, backoff=0.1)
            for _ in range(10):
                stage.producers.add(queue, deed("nest", **{"for": 1})["data"], attempts=1)
            stage.wait_for_end()
        [*first, last] = stage.staff.present
        for hand in first:
            stage.staff.dismiss(hand)
            stage.staff.see_off(hand)
        stage.staff.dismiss(last)
        stage.staff.see_off(last)
        self._close_on_one_who_stays(stage)

    def _close_on_one_who_stays(self, stage: Stage) -> None:
        """Its cancellation is ignored, and the job ends well."""
        [host] = stage.staff.hire(1, drain_timeout=1)
        with stage.queue() as queue:
            stage.producers.add(queue, deed("swallow", **{"for": 30})["data"])
        stage.wait(1)
        stage.staff.dismiss(host)
        stage.staff.see_off(host)

    def judge(self, case: Case) -> None:
        for job_id, stored in case.evidence.stored.items():
            if stored.name == "raise":
                ways = {run.how for run in case.evidence.runs[job_id]}
                case.expect(stored.places == ("failed",), f"{job_id} is in {stored.places}")
                case.expect(stored.number("atm") == _ATTEMPTS, f"{job_id} was tried otherwise")
                case.expect(len(ways) == 1, f"{job_id} ended in {ways}")
                case.expect(stored.fields.get("failedReason"), f"{job_id} failed without a reason")
        names = [stored.name for stored in case.evidence.stored.values() if "raise" in stored.name]
        case.expect(len(names) == len(_KINDS) * 8, f"{len(names)} jobs that raise")
        swallowed = [stored for stored in case.evidence.stored.values() if stored.name == "swallow"]
        case.expect(
            [stored.places for stored in swallowed] == [("completed",)],
            "the handler that ignored its cancellation did not complete its job",
        )
        case.no_stalls()
        case.calls_were_answered()
        case.adds_were_exact()
