"""A job that was taken by hand: renew its lease, and say how its run ended."""

from contextlib import suppress
from datetime import datetime
from types import TracebackType
from typing import Final, Self

from toril.bullmq._async.job import AsyncJob
from toril.bullmq.job_checks import check_until
from toril.bullmq.operations.finish.settlement import Verdict
from toril.bullmq.worker.claim_desk import ClaimDesk, ClaimedRecord
from toril.core.codec import check_size, encode
from toril.core.durations import Duration, to_ms
from toril.core.errors import (
    ChildFailedError,
    ChildrenPendingError,
    LockLostError,
    TransientError,
)
from toril.core.outcome import Delay, GiveBack, Retry, Say, WaitForChildren
from toril.runtime.source import Effect, Ending, Outcome, Raised, Returned, Said


class AsyncClaimedJob:
    """A job that is yours until its lease ends, or until one of these verbs has settled it.

    Each of them raises `LockLostError` when the lease has ended before, and the job may be another
    worker's; then nothing was changed. After `UnavailableError` nothing was either: say it again.

    As a context manager it settles what the block has not: an error of the block fails the attempt,
    the end of the block gives the job back.
    """

    def __init__(self, claimed: ClaimedRecord, job: AsyncJob, desk: ClaimDesk) -> None:
        self._claimed: Final = claimed
        self._desk: Final = desk
        self._is_settled = False
        self.job: Final = job
        """Its data, its log, its progress."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.job.id} {self.job.name!r}>"

    @property
    def id(self) -> str:
        """The id of the job."""
        return self.job.id

    @property
    def is_settled(self) -> bool:
        """Whether it is not yours any more: it was settled, or the lease is lost."""
        return self._is_settled

    async def renew(self) -> None:
        """Start the lease over: it lasts as long again from now."""
        if not await self._desk.renew(self._claimed.lease):
            self._is_settled = True
            raise LockLostError(self.id)

    async def complete(self, value: object = None) -> None:
        """The work is done, and this is its result, any JSON.

        Raises:
            BadInputError: the result cannot be stored; nothing was sent.
            ChildrenPendingError: children of the job are pending; it is still yours.
            ChildFailedError: a child has failed it; it is still yours, and can only fail.
        """
        check_size(len(encode(value, field="result")), field="result")
        await self._settle(Returned(value))

    async def fail(self, error: Exception | str) -> bool:
        """This attempt failed; whether the job runs again, as its attempts and the error allow.

        A `PermanentError` allows no further attempt.
        """
        raised = TransientError(error) if isinstance(error, str) else error
        return await self._settle(Raised(raised)) is Effect.RETRIED

    async def retry(
        self, reason: str = "retry requested", *, delay: Duration | None = None
    ) -> bool:
        """This attempt failed, run the job again after `delay`; False when it was the last one."""
        if delay is not None:
            to_ms(delay, "delay")
        return await self._say(Retry(reason, delay=delay)) is Effect.RETRIED

    async def delay(self, until: datetime | Duration) -> None:
        """Not now: run the job at this moment, or after this time; the attempt does not count."""
        check_until(until)
        await self._say(Delay(until=until))

    async def give_back(self) -> None:
        """Let somebody else have the job at once; the attempt does not count."""
        await self._say(GiveBack())

    async def wait_for_children(self) -> bool:
        """Run the job again when its children have ended; the attempt does not count.

        False when none is pending: the job is still yours.

        Raises:
            ChildFailedError: a child has failed it; it is still yours, and can only fail.
        """
        return await self._say(WaitForChildren()) is Effect.WAITS

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._is_settled:
            return
        with suppress(LockLostError):
            if isinstance(error, Say):
                await self._say(error)
            elif isinstance(error, Exception):
                await self.fail(error)
            else:
                await self.give_back()

    async def _say(self, what: Say) -> Effect | None:
        return await self._settle(Said(what))

    async def _settle(self, ending: Ending) -> Effect | None:
        """What was stored; None when the job is still ours, as it has no children to wait for."""
        settled, verdict = await self._desk.settle(Outcome(self._claimed, ending))
        if verdict is Verdict.NO_CHILDREN:
            return None
        if verdict is Verdict.PENDING_CHILDREN:
            raise ChildrenPendingError(self.id)
        if verdict is Verdict.FAILED_CHILDREN:
            raise ChildFailedError(self.id)
        self._is_settled = True
        if verdict is not Verdict.STORED:
            raise LockLostError(self.id)
        return settled.effect
