"""A source that answers when the test says so, and what the test says."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.support.virtual_time import pass_ticks, tick

from toril.runtime.source import Claimed, Effect, Exchange, Lease, Outcome, Reaped, Settled

PATIENCE_S = 600.0


def claimed(job_id: str, token: str = "token", defect: Exception | None = None) -> Claimed[str]:  # noqa: S107
    return Claimed(Lease(job_id, token), job_id, defect)


@dataclass(eq=False)
class Call:
    """One call in flight, to be answered."""

    want: int
    outcomes: Sequence[Outcome[str]] = ()
    timeout_ms: int = 0
    tick: int = field(default_factory=tick)
    at_s: float = field(default_factory=lambda: asyncio.get_running_loop().time())
    reply: asyncio.Future[Exchange[str]] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    @property
    def settles(self) -> list[str]:
        return [outcome.claimed.lease.job_id for outcome in self.outcomes]

    def answer(
        self,
        *jobs: str | Claimed[str],
        effect: Effect = Effect.COMPLETED,
        next_in_ms: int | None = None,
    ) -> None:
        settled = [Settled(job_id, effect, reason="reason", delay_ms=7) for job_id in self.settles]
        claims = [claimed(job) if isinstance(job, str) else job for job in jobs]
        self.reply.set_result(Exchange(settled, claims, next_in_ms))

    def fail(self, error: Exception) -> None:
        self.reply.set_exception(error)


class ManualSource:
    """Every exchange and every wait is a `Call` that the test takes and answers."""

    def __init__(self) -> None:
        self.exchanges: asyncio.Queue[Call] = asyncio.Queue()
        self.waits: asyncio.Queue[Call] = asyncio.Queue()
        self.in_flight = 0
        self.most_in_flight = 0
        self.lost: list[Lease] = []
        self.cancelled_jobs: list[Lease] = []
        self.asked_for_cancelled = 0
        self.returned: list[Lease] | None = None
        self.reaped = Reaped((), (), 30_000)
        self.reaps = 0
        self.opens = 0
        self.is_closed = False
        self.is_let_go = False
        self.errors: dict[str, list[Exception]] = {}

    async def open(self) -> None:
        self.opens += 1
        self._raise("open")

    async def exchange(self, outcomes: Sequence[Outcome[str]], want: int) -> Exchange[str]:
        call = Call(want, outcomes)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            if self.is_let_go:
                await pass_ticks()
                call.answer()
            else:
                self.exchanges.put_nowait(call)
            return await call.reply
        finally:
            self.in_flight -= 1

    async def wait_for_work(self, want: int, timeout_ms: int) -> Exchange[str]:
        call = Call(want, timeout_ms=timeout_ms)
        self.waits.put_nowait(call)
        try:
            return await asyncio.wait_for(call.reply, timeout_ms / 1_000)
        except TimeoutError:
            return Exchange((), ())

    def renew_unread(self) -> None:
        pass

    def renew(self, leases: Sequence[Lease]) -> Sequence[Lease]:
        return [lease for lease in leases if lease in self.lost]

    async def reap(self) -> Reaped:
        self.reaps += 1
        self._raise("reap")
        return self.reaped

    async def cancelled(self) -> Sequence[Lease]:
        self.asked_for_cancelled += 1
        self._raise("cancelled")
        return self.cancelled_jobs

    async def give_back(self, leases: Sequence[Lease]) -> int:
        self.returned = list(leases)
        self._raise("give_back")
        return len(leases)

    async def close(self) -> None:
        self.is_closed = True

    async def next_exchange(self) -> Call:
        async with asyncio.timeout(PATIENCE_S):
            return await self.exchanges.get()

    async def next_settlement(self) -> Call:
        """The next exchange that settles something; those that only claim get nothing."""
        while not (call := await self.next_exchange()).outcomes:
            call.answer()
        return call

    async def next_wait(self) -> Call:
        async with asyncio.timeout(PATIENCE_S):
            return await self.waits.get()

    def let_go(self) -> None:
        """Answer whatever was not answered, and everything from now on."""
        self.is_let_go = True
        while not self.exchanges.empty():
            call = self.exchanges.get_nowait()
            if not call.reply.done():
                call.answer()

    def _raise(self, call: str) -> None:
        if errors := self.errors.get(call):
            raise errors.pop(0)
