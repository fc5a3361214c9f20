"""The books of one engine: its slots, the outcomes to settle, and when an exchange pays."""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Generic, TypeVar

import msgspec

from toril.runtime.options import EngineOptions
from toril.runtime.source import Outcome

J = TypeVar("J")


class Finished(msgspec.Struct, Generic[J], frozen=True):
    """A run that is over, waiting for the store to hear of it."""

    outcome: Outcome[J]
    took_ms: float


class Batch(msgspec.Struct, Generic[J], frozen=True):
    """What one exchange carries."""

    finished: Sequence[Finished[J]]
    want: int


class Ledger(Generic[J]):
    """Counts slots and gathers outcomes; decides what the next exchange carries.

    Every slot is free, reserved (by an exchange or the doorbell, which may bring a job for it),
    occupied by a run, or lost to a handler that does not stop. All of it belongs to the engine's
    loop, but for the two flags `is_paused` and `is_closing`: any thread may set those, and they are
    read when an exchange is made up.
    """

    def __init__(self, options: EngineOptions) -> None:
        self.is_paused = False
        self.is_closing = False
        self.running = 0
        self.stuck = 0
        self.in_flight = 0
        self._concurrency = options.concurrency
        self._batch = options.batch
        self._reserved = 0
        self._finished: deque[Finished[J]] = deque()
        self._settling = 0
        self._is_dry = False
        self._is_due = False
        self._is_troubled = False
        self._rest: asyncio.TimerHandle | None = None
        self._most = options.lane_batch
        self._limit = options.lane_batch
        self._pays_beside_another = options.pays_beside_another
        self._work = asyncio.Event()
        self._room = asyncio.Event()
        self.moved = asyncio.Event()
        """Set when a run is over, or a call to the store: whoever waits for an end looks again."""

    @property
    def is_claiming(self) -> bool:
        """Whether new jobs are wanted at all."""
        return not (self.is_paused or self.is_closing)

    @property
    def room_now(self) -> int:
        """How many jobs may start now; what is claimed beyond goes back."""
        return self._free() if self.is_claiming else 0

    @property
    def unsettled(self) -> int:
        """How many outcomes the store has not acknowledged."""
        return len(self._finished) + self._settling

    @property
    def is_quiet(self) -> bool:
        """Nothing runs, nothing waits to be settled, nothing is on its way."""
        return not (self.running or self._reserved or self.in_flight or self._finished)

    @property
    def is_idle(self) -> bool:
        """Nothing runs, and the store knows of all that ran; claims may be under way if wanted."""
        return not (self.running or self.unsettled) and (self.is_claiming or self.is_quiet)

    def start(self) -> None:
        """Occupy a slot with a run."""
        self.running += 1

    def finish(self, outcome: Outcome[J], took_ms: float) -> None:
        """A run is over: free its slot and have the next exchange tell the store."""
        self.running -= 1
        self.settle(outcome, took_ms)

    def settle(self, outcome: Outcome[J], took_ms: float = 0.0) -> None:
        """Have the next exchange tell the store of a job that held no slot."""
        self._finished.append(Finished(outcome, took_ms))
        self._work.set()

    def forget(self) -> None:
        """A run is over and the store need not hear of it."""
        self.running -= 1
        self._announce()

    def give_up(self, outcome: Outcome[J], took_ms: float) -> None:
        """Tell the store of a run that does not end; its slot stays lost until `recover`."""
        self.running -= 1
        self.stuck += 1
        self.settle(outcome, took_ms)

    def recover(self) -> None:
        """A run that was given up has ended after all: its slot is free."""
        self.stuck -= 1
        self._announce()

    def expect_work(self) -> None:
        """The store may have work after all: claim for every free slot."""
        self._is_dry = False
        self._work.set()

    def nudge(self) -> None:
        """Make one exchange soon, even one that settles and claims nothing."""
        self._is_due = True
        self._work.set()

    async def next_batch(self) -> Batch[J]:
        """Wait until an exchange pays, and take what it carries."""
        while (batch := self._take()) is None:
            self._work.clear()
            await self._work.wait()
        return batch

    def landed(self, batch: Batch[J], claimed: int) -> None:
        """The exchange was answered: its outcomes are settled, its reserved slots are free."""
        self._back(batch)
        if batch.want:
            self._is_dry = claimed < batch.want
        self._is_troubled = False
        self._limit = min(self._limit * 2, self._most)
        self._announce()

    def bounced(self, batch: Batch[J], *, nothing_done: bool, rest_s: float = 0.0) -> None:
        """The exchange failed: everything it carried is to be sent again, after a rest.

        When it was not for want of a server, one of the outcomes may be the reason: they go one
        by one and last for a while, so that the others get through.
        """
        self._back(batch)
        self._is_troubled = True
        if nothing_done:
            self._finished.extendleft(reversed(batch.finished))
        else:
            self._finished.extend(batch.finished)
            self._limit = 1
        if self._rest is not None:
            self._rest.cancel()
        self._rest = asyncio.get_running_loop().call_later(rest_s, self._end_rest)
        self._is_due = True
        self._announce()

    async def room(self) -> int:
        """Wait until slots are free for the doorbell, and reserve them.

        Outcomes that are not settled yet count as occupied: while the exchanges fail and the
        doorbell does not, jobs must not pile up.
        """
        while not (self.is_claiming and self._is_dry and (want := self._spare()) > 0):
            self._room.clear()
            await self._room.wait()
        want = min(want, self._batch)
        self._reserved += want
        return want

    def leave_room(self, want: int, claimed: int) -> None:
        """The doorbell brought `claimed` jobs for the slots it had reserved."""
        self._reserved -= want
        if claimed >= want:
            self.expect_work()
        self._announce()

    async def until_quiet(self) -> None:
        """Wait until nothing is left to do."""
        while not self.is_quiet:
            self.moved.clear()
            await self.moved.wait()

    def leftovers(self) -> list[Outcome[J]]:
        """Take the outcomes that could not be settled."""
        left = [finished.outcome for finished in self._finished]
        self._finished.clear()
        if self._rest is not None:
            self._rest.cancel()
        return left

    def _end_rest(self) -> None:
        self._rest = None
        self._work.set()

    def _take(self) -> Batch[J] | None:
        if self._rest is not None:
            return None
        want = min(self._free(), self._limit) if self.is_claiming else 0
        if not self._pays(want):
            return None
        finished = [self._finished.popleft() for _ in range(min(len(self._finished), self._limit))]
        self._is_due = False
        self._reserved += want
        self._settling += len(finished)
        self.in_flight += 1
        return Batch(finished, want)

    def _pays(self, want: int) -> bool:
        pull = 0 if self._is_dry else want
        if self.in_flight:  # and after a failure one alone finds out whether it is over
            return (
                not self._is_troubled
                and max(len(self._finished), pull) >= self._pays_beside_another
            )
        return bool(self._finished) or pull > 0 or self._is_due

    def _back(self, batch: Batch[J]) -> None:
        self._reserved -= batch.want
        self._settling -= len(batch.finished)
        self.in_flight -= 1

    def _free(self) -> int:
        return max(self._concurrency - self.running - self.stuck - self._reserved, 0)

    def _spare(self) -> int:
        return self._free() - self.unsettled

    def _announce(self) -> None:
        self._work.set()
        self.moved.set()
        if self._is_dry:
            self._room.set()
