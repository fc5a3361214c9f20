"""A line without a server: it remembers what is sent and answers as the test has written."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from toril.bullmq.operations.claim.claim import Claim, Claims, Taken
from toril.bullmq.operations.claim.recover import Recover, Recovered
from toril.bullmq.operations.finish.await_children import AwaitChildren
from toril.bullmq.operations.finish.finish_jobs import Finished, FinishJobs
from toril.bullmq.operations.finish.finish_linked import FinishLinked
from toril.bullmq.operations.finish.return_jobs import ReturnJobs
from toril.bullmq.operations.finish.settlement import Verdict
from toril.core.errors import OutcomeUnknownError, UnavailableError

Step: TypeAlias = Callable[[Sequence[object]], Sequence[object]] | Exception | None
"""What comes of a request: its results, an error, or nothing for ever."""

LOST: Final = OutcomeUnknownError("claim/claim", "here")
DOWN: Final = UnavailableError("here", "connection refused")
REFUSED: Final = UnavailableError("here", "OOM command not allowed")


class FakeLine:
    """Takes one step for every request; when none are written, all is stored and none claimed."""

    def __init__(self, *steps: Step) -> None:
        self.sent: list[Sequence[object]] = []
        self.asked = asyncio.Event()
        self.is_connected = False
        self.is_closed = False
        self.was_aborted = False
        self._steps = deque(steps)
        self._in_flight = 0

    def then(self, *steps: Step) -> None:
        """What the next requests meet."""
        self._steps.extend(steps)

    async def connect(self) -> None:
        self.is_connected = True

    async def run_all(self, operations: Sequence[object]) -> list[object]:
        assert not self._in_flight, "a line has one request in flight"
        self._in_flight += 1
        self.sent.append(list(operations))
        self.asked.set()
        try:
            return list(await self._step(operations))
        finally:
            self._in_flight -= 1

    async def read(
        self, blocking: object, then: Sequence[object] = ()
    ) -> tuple[object, list[object]]:
        woken, *results = await self.run_all([blocking, *then])
        return woken, results

    async def _step(self, operations: Sequence[object]) -> Sequence[object]:
        step = self._steps.popleft() if self._steps else well
        if step is None:
            await asyncio.Event().wait()
        if isinstance(step, Exception):
            # As a line does: something may happen while it fails.
            await asyncio.get_running_loop().run_in_executor(None, int)
            raise step
        assert callable(step)
        return step(operations)

    def abort(self) -> None:
        self.was_aborted = True

    async def close(self) -> None:
        self.is_closed = True


def well(operations: Sequence[object]) -> list[object]:
    """Everything is stored, nothing is there to be claimed, nothing is known of what was lost."""
    return [_well(operation) for operation in operations]


def claiming(*ids: str) -> Step:
    """All is well, and these jobs are claimed."""

    def answer(operations: Sequence[object]) -> list[object]:
        *others, claim = operations
        claims = Claims(5, None, (), taken(claim, ids))
        if isinstance(claim, FinishJobs):
            return [*well(others), Finished(stored(claim), claims)]
        assert isinstance(claim, Claim)
        return [*well(others), claims]

    return answer


def recovering(*ids: str, unsettled: Sequence[str] = ()) -> Step:
    """The lost request had claimed these jobs and had not settled those."""

    def answer(operations: Sequence[object]) -> list[object]:
        [question] = operations
        assert isinstance(question, Recover)
        return [Recovered(taken(question, ids), frozenset(unsettled))]

    return answer


def stored(settling: FinishJobs) -> list[Verdict]:
    return [Verdict.STORED] * len(settling.finishes)


def taken(request: Claim | FinishJobs | Recover, ids: Sequence[str]) -> list[Taken]:
    token = request.sender.token(request.sequence)
    return [Taken(job_id, token, {b"name": b"n"}) for job_id in ids]


def _well(operation: object) -> object:
    match operation:
        case FinishJobs():
            return Finished(stored(operation), Claims(5, None, (), ()))
        case FinishLinked(finishes=settling) | ReturnJobs(returns=settling):
            return [Verdict.STORED] * len(settling)
        case AwaitChildren(waits=waits):
            return [Verdict.STORED] * len(waits)
        case Claim():
            return Claims(5, None, (), ())
        case Recover():
            return Recovered((), frozenset())
        case _:
            return True
