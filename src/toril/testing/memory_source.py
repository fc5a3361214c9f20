"""A complete `Source` without a server: engines and handlers can be tested at full speed."""

import asyncio
import itertools
from collections.abc import Sequence
from contextlib import suppress
from uuid import uuid4

from toril.core.errors import ClosedError, UnavailableError
from toril.runtime.source import Exchange, Lease, Outcome, Reaped
from toril.testing.memory_job import MemoryJob
from toril.testing.memory_queue import MemoryQueue


class MemorySource:
    """One worker's way to a `MemoryQueue`; make one for each worker.

        queue = MemoryQueue()
        engine = Engine(MemorySource(queue), LoopExecutor(handle, bind=lambda job, _stop: job), ...)

    Handlers are given the `MemoryJob`. Within a call everything happens at once, so a call that
    is cancelled has done either all or nothing.
    """

    def __init__(self, queue: MemoryQueue | None = None) -> None:
        self.queue = MemoryQueue() if queue is None else queue
        self._name = uuid4().hex
        self._calls = itertools.count()
        self._is_closed = False

    async def open(self) -> None:
        """Raise `UnavailableError` while the queue is down."""
        self._check()

    async def exchange(
        self, outcomes: Sequence[Outcome[MemoryJob]], want: int
    ) -> Exchange[MemoryJob]:
        """Settle and claim, after a tick: no store answers within the same one."""
        await asyncio.sleep(0)
        self._check()
        settled = [self.queue.settle(outcome) for outcome in outcomes]
        claimed = self.queue.claim(want, self._token())
        return Exchange(settled, claimed, self.queue.next_in_ms())

    async def wait_for_work(self, want: int, timeout_ms: int) -> Exchange[MemoryJob]:
        """Claim as soon as there is something to claim."""
        self._check()
        rung = asyncio.Event()
        loop = asyncio.get_running_loop()

        def ring() -> None:
            with suppress(RuntimeError):  # the loop may be closed by then
                loop.call_soon_threadsafe(rung.set)

        with self.queue.listening(ring), suppress(TimeoutError):
            async with asyncio.timeout(timeout_ms / 1_000):
                while not (claimed := self.queue.claim(want, self._token())):
                    await rung.wait()
                    rung.clear()
                    self._check()
                return Exchange((), claimed, self.queue.next_in_ms())
        return Exchange((), (), self.queue.next_in_ms())

    def renew(self, leases: Sequence[Lease]) -> Sequence[Lease]:
        """Prolong these, and return the lost ones."""
        self._check()
        return self.queue.renew(leases)

    def renew_unread(self) -> None:
        """Nothing is ever on its way."""

    async def reap(self) -> Reaped:
        """Put the jobs of lost workers back."""
        self._check()
        return self.queue.reap()

    async def cancelled(self) -> Sequence[Lease]:
        """Which jobs of this source's were cancelled."""
        self._check()
        return self.queue.cancelled(self._name)

    async def give_back(self, leases: Sequence[Lease]) -> int:
        """Put these jobs at the head of the line, and count them."""
        self._check()
        return self.queue.give_back(leases)

    async def close(self) -> None:
        """Refuse every further call."""
        self._is_closed = True

    def _token(self) -> str:
        return f"{self._name}:{next(self._calls)}"

    def _check(self) -> None:
        if self._is_closed:
            raise ClosedError("the source")
        if self.queue.is_down:
            raise UnavailableError(f"memory queue {self.queue.name!r}", "it was taken down")
