"""Claim and settle for people instead of for an engine: one job at a time, from any task."""

import asyncio
import time
from collections import deque
from contextlib import suppress
from typing import Final, TypeAlias

from toril.bullmq._async.store import AsyncStore
from toril.bullmq.operations.finish.settlement import Verdict
from toril.bullmq.operations.maintain.renew import Renew
from toril.bullmq.wire.job import JobRecord
from toril.bullmq.worker.source import BullSource
from toril.core.errors import ClosedError, TorilError
from toril.runtime.pauses import Pauses
from toril.runtime.source import Claimed, Exchange, Lease, Outcome, Raised, Settled

ClaimedRecord: TypeAlias = Claimed[JobRecord]

_EXCHANGES: Final = 2
"""How many a source has in flight at most."""

_LONGEST_BLOCK_MS: Final = 5_000
"""A marker may be missing: who waits looks for jobs now and then all the same."""

_REAL_WAIT_S: Final = 0.05
"""A wait that ends sooner than this, with nothing, was no wait."""

_KEEPS_THE_LEASE: Final = frozenset(
    {Verdict.PENDING_CHILDREN, Verdict.FAILED_CHILDREN, Verdict.NO_CHILDREN}
)


class ClaimDesk:
    """Between a source and whoever takes jobs from it by hand.

    What was claimed and nobody has asked for (a lost reply had brought it) is in `_spare`, with
    the moment from which its lease runs; what was handed out and is not settled, in `_held`. Both
    go back to the queue at the end.
    """

    def __init__(self, source: BullSource, store: AsyncStore, lock_ms: int) -> None:
        self._source: Final = source
        self._store: Final = store
        self._lock_ms: Final = lock_ms
        self._exchanges: Final = asyncio.Semaphore(_EXCHANGES)
        self._bell: Final = asyncio.Lock()
        self._spare: Final[deque[tuple[ClaimedRecord, float]]] = deque()
        self._held: Final[set[Lease]] = set()
        self._settling: Final[set[asyncio.Task[tuple[Settled, Verdict]]]] = set()
        self._next_in_ms: int | None = None
        self._is_closed = False

    async def take(self, ends_at: float | None) -> ClaimedRecord | None:
        """A job, or None when there is none until this moment of the loop's clock."""
        claimed = await self._take_now()
        hollow = Pauses(first_ms=1, most_ms=1_000)
        while claimed is None and (left_ms := _left_ms(ends_at)) > 0:
            began = time.monotonic()
            if not await self._turn_at_the_bell(ends_at):
                return None
            try:
                await self._listen(min(left_ms, _LONGEST_BLOCK_MS))
            finally:
                self._bell.release()
            claimed = await self._from_spare()
            if claimed is None and time.monotonic() - began < _REAL_WAIT_S:
                await asyncio.sleep(min(hollow.next_s(), left_ms / 1_000))
        return claimed

    async def settle(self, outcome: Outcome[JobRecord]) -> tuple[Settled, Verdict]:
        """Store how a run ended; goes on when its caller is cancelled, whose word was given."""
        self._refuse_when_closed()
        task = asyncio.create_task(self._settle(outcome), name="toril settle by hand")
        self._settling.add(task)
        task.add_done_callback(self._forget)
        return await asyncio.shield(task)

    async def renew(self, lease: Lease) -> bool:
        """Prolong a lease from now; False when it is lost."""
        self._refuse_when_closed()
        pairs = [(lease.job_id, lease.token)]
        renewal = Renew(keys=self._store.keys, leases=pairs, lock_ms=self._lock_ms)
        lost = await self._store.runner.run(renewal)
        if lost:
            self._held.discard(lease)
        return not lost

    async def close(self) -> None:
        """Give back what is not settled, and let go of every connection."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._settling:
            await asyncio.wait(self._settling)
        async with self._exchanges, self._exchanges:
            leases = [*self._held, *(claimed.lease for claimed, _ in self._spare)]
            with suppress(TorilError):  # then they run out
                await self._source.give_back(leases)
        await self._source.close()

    async def _take_now(self) -> ClaimedRecord | None:
        self._refuse_when_closed()
        if claimed := await self._from_spare():
            return claimed
        async with self._exchanges:
            self._refuse_when_closed()
            self._keep(await self._source.exchange([], 1))
        return await self._from_spare()

    async def _turn_at_the_bell(self, ends_at: float | None) -> bool:
        with suppress(TimeoutError):
            async with asyncio.timeout_at(ends_at):
                return await self._bell.acquire()
        return False

    async def _listen(self, timeout_ms: float) -> None:
        self._refuse_when_closed()
        if self._next_in_ms is not None:
            timeout_ms = min(timeout_ms, self._next_in_ms)
        self._keep(await self._source.wait_for_work(1, max(int(timeout_ms), 1)))

    def _keep(self, exchange: Exchange[JobRecord]) -> None:
        since = time.monotonic() if exchange.since is None else exchange.since
        self._spare.extend((claimed, since) for claimed in exchange.claimed)
        self._next_in_ms = exchange.next_in_ms

    async def _from_spare(self) -> ClaimedRecord | None:
        """The next of what was claimed that can be run, and that is still ours."""
        while self._spare:
            claimed, since = self._spare.popleft()
            try:
                if await self._can_be_run(claimed, since):
                    self._held.add(claimed.lease)
                    return claimed
            except BaseException:
                self._spare.appendleft((claimed, since))
                raise
        return None

    async def _can_be_run(self, claimed: ClaimedRecord, since: float) -> bool:
        if claimed.defect is not None:
            await self.settle(Outcome(claimed, Raised(claimed.defect, final=True)))
            return False
        is_fresh = (time.monotonic() - since) * 1_000 < self._lock_ms / 2
        return is_fresh or await self.renew(claimed.lease)

    async def _settle(self, outcome: Outcome[JobRecord]) -> tuple[Settled, Verdict]:
        async with self._exchanges:
            settled, verdict = await self._source.settle(outcome)
        if verdict not in _KEEPS_THE_LEASE:
            self._held.discard(outcome.claimed.lease)
        return settled, verdict

    def _forget(self, task: asyncio.Task[tuple[Settled, Verdict]]) -> None:
        self._settling.discard(task)
        if not task.cancelled():
            task.exception()  # whoever waited for it was told; or was cancelled, and will not ask

    def _refuse_when_closed(self) -> None:
        if self._is_closed:
            raise ClosedError("the claims")


def _left_ms(ends_at: float | None) -> float:
    if ends_at is None:
        return _LONGEST_BLOCK_MS
    return (ends_at - asyncio.get_running_loop().time()) * 1_000
