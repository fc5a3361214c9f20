"""Renews the leases of this process on one target, and gives up what was left in the air.

One background task plans, and sends what is due in one go. It holds leases weakly: one that
nobody knows any more is not renewed, and ends by itself.
"""

import asyncio
import math
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Final, Protocol, TypeVar
from weakref import WeakSet

from toril.connection import AsyncRunner, Target
from toril.core.errors import OutcomeUnknownError, TorilError, UnavailableError
from toril.core.operation import Operation
from toril.telemetry.emitter import Emitter
from toril.telemetry.logging import log_events
from toril.telemetry.toolkit_leases import LeaseRenewed
from toril.toolkit.background import Duty, begin
from toril.toolkit.leases.claim import Claim
from toril.toolkit.leases.doubts import LATEST_S
from toril.toolkit.leases.hold import CLOSING_S, NOT_THERE, Hold, Office
from toril.toolkit.leases.per_target import PerTarget

R = TypeVar("R")

_LINGER_S: Final = 10.0
"""How long it stays without anything to do: a thread costs more than a lease."""

_SHORTEST_LEAD_S: Final = 0.01
_SHORTEST_TRY_MS: Final = 50
_SURRENDER_TRY_MS: Final = 1_000
_AGAIN_S: Final = 0.25


@dataclass(frozen=True, slots=True, eq=False)
class _Surrender:
    claim: Claim[object]
    office: Office
    in_doubt: bool
    made_at: float

    @property
    def until(self) -> float:
        """How long the server is told again where it has not heard."""
        return min(self.made_at + LATEST_S, max(self.office.ends_at, self.made_at + CLOSING_S))


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be done now."""

    renewals: Mapping[int, Sequence[Hold]]
    """By the time to live, which is also what their patience depends on."""

    late: Sequence[Hold]
    surrenders: Sequence[_Surrender]


class Messenger(Protocol):
    """Who speaks to the server, or to several."""

    async def run_all(
        self, operations: Sequence[Operation[R]], *, within_ms: int | None = None
    ) -> list[R | TorilError]:
        """Run these within a time; errors stand in their places."""
        ...


class Keeper:
    """Of one target and process; get it by `keeper_of`. Its methods are for any thread.

    `connect` gets what it speaks to the server with, or to several.
    """

    def __init__(self, connect: Callable[[], AbstractAsyncContextManager[Messenger]]) -> None:
        self._connect: Final = connect
        self._guard: Final = threading.Lock()
        # All below belongs to whoever has the guard.
        self._holds: Final[WeakSet[Hold]] = WeakSet()
        self._surrenders: list[_Surrender] = []
        self._unsettled: Final[set[_Surrender]] = set()
        self._closing: list[tuple[Office, Callable[[], object]]] = []
        self._duty: Duty | None = None
        self._awake = asyncio.Event()
        self._sleeps_until = 0.0
        self._ends_at = 0.0
        self._lead_s = _LINGER_S

    def keep(self, hold: Hold) -> None:
        """Renew it where its terms say so, and notice when its time has passed."""
        with self._guard:
            self._holds.add(hold)
            first_at = min(hold.renew_at, hold.deadline)
            self._lead_s = max(first_at - monotonic(), _SHORTEST_LEAD_S)
            self._be_there_by(first_at)

    def give_up(self, claim: Claim[object], office: Office, *, in_doubt: bool) -> None:
        """Let the server know that this claim is no more, as soon as it can be told."""
        surrender = _Surrender(claim, office, in_doubt, monotonic())
        with self._guard:
            self._surrenders.append(surrender)
            self._unsettled.add(surrender)
            self._be_there_by(-math.inf)

    def when_settled(self, office: Office, callback: Callable[[], object]) -> None:
        """Call this when the server knows of all that this office gave up, or never will."""
        with self._guard:
            self._closing.append((office, callback))
        self._tell_settled()

    def end_if_idle(self) -> None:
        """Do not linger: whoever used it last has closed."""
        with self._guard:
            self._ends_at = -math.inf
            if self._duty:
                self._duty.call(self._awake.set)

    def _be_there_by(self, moment: float) -> None:
        self._ends_at = monotonic() + _LINGER_S
        if self._duty is None:
            self._awake = asyncio.Event()
            self._duty = begin(self._serve(self._awake))
        elif moment < self._sleeps_until:
            self._sleeps_until = -math.inf
            self._duty.call(self._awake.set)

    async def _serve(self, awake: asyncio.Event) -> None:
        try:
            async with self._connect() as messenger, asyncio.TaskGroup() as tasks:
                while plan := self._plan(monotonic()):
                    self._carry_out(plan, messenger, tasks)
                    await _wait(awake, self._sleeps_until - monotonic())
                    awake.clear()
        finally:
            with self._guard:
                if self._awake is awake:
                    self._duty = None

    def _carry_out(self, plan: _Plan, messenger: Messenger, tasks: asyncio.TaskGroup) -> None:
        for hold in plan.late:
            hold.look()
        for ttl_ms, holds in plan.renewals.items():
            tasks.create_task(self._renew(messenger, ttl_ms, holds))
        if plan.surrenders:
            tasks.create_task(self._surrender(messenger, plan.surrenders))

    def _plan(self, now: float) -> _Plan | None:
        """What is due; None when it is time to go."""
        renewals: defaultdict[int, list[Hold]] = defaultdict(list)
        late: list[Hold] = []
        with self._guard:
            self._sleeps_until = math.inf
            for hold in list(self._holds):
                if hold.is_over:
                    self._holds.discard(hold)
                elif hold.deadline <= now:
                    late.append(hold)
                elif hold.take_turn(now):
                    renewals[hold.next_ttl_ms(now)].append(hold)
                self._note(hold)
            surrenders, self._surrenders = self._surrenders, []
            if not self._holds and not self._unsettled:
                if self._ends_at <= now:
                    self._duty = None
                    return None
                # Awake in time for the next lease like the last one, which need not wake it then.
                self._sleeps_until = min(self._ends_at, now + self._lead_s)
        return _Plan(renewals, late, surrenders)

    def _note(self, hold: Hold) -> None:
        if not hold.is_over:
            self._sleeps_until = min(self._sleeps_until, hold.renew_at, hold.deadline)

    async def _renew(self, messenger: Messenger, ttl_ms: int, holds: Sequence[Hold]) -> None:
        sent_at = monotonic()
        left_ms = min(hold.deadline - sent_at for hold in holds) * 1000
        patience_ms = min(max(ttl_ms // 12, _SHORTEST_TRY_MS), max(int(left_ms), 1))
        results = await messenger.run_all(
            [hold.claim.renewal(ttl_ms) for hold in holds], within_ms=patience_ms
        )
        for hold, result in zip(holds, results, strict=True):
            if result is True:
                hold.prolong(sent_at, ttl_ms)
                _tell_of(hold)
            elif result is False:
                hold.lose(NOT_THERE)
            else:
                hold.try_again(sent_at)
        self._awake.set()

    async def _surrender(self, messenger: Messenger, surrenders: Sequence[_Surrender]) -> None:
        results = await messenger.run_all(
            [one.claim.surrender(in_doubt=one.in_doubt) for one in surrenders],
            within_ms=max(1, min(_SURRENDER_TRY_MS, int(_left_s(surrenders) * 1000))),
        )
        unheard = [
            one
            for one, result in zip(surrenders, results, strict=True)
            if isinstance(result, UnavailableError | OutcomeUnknownError)
        ]
        if unheard:
            await asyncio.sleep(max(0.0, min(_AGAIN_S, _left_s(unheard))))
        again = [one for one in unheard if monotonic() < one.until]
        with self._guard:
            self._surrenders += again
            self._unsettled.difference_update(surrenders)
            self._unsettled.update(again)
        self._tell_settled()
        self._awake.set()

    def _tell_settled(self) -> None:
        with self._guard:
            busy = {id(one.office) for one in self._unsettled}
            settled = [callback for office, callback in self._closing if id(office) not in busy]
            self._closing = [one for one in self._closing if id(one[0]) in busy]
        for callback in settled:
            callback()


def _left_s(surrenders: Sequence[_Surrender]) -> float:
    return min(one.until for one in surrenders) - monotonic()


def _tell_of(hold: Hold) -> None:
    renewed = LeaseRenewed(kind=hold.claim.kind, subject=hold.claim.name)
    hold.office.emitter.emit(renewed)


async def _wait(event: asyncio.Event, seconds: float) -> None:
    """Until it is set, or the time is over."""
    try:
        async with asyncio.timeout(min(seconds, threading.TIMEOUT_MAX)):
            await event.wait()
    except TimeoutError:
        pass


def _keeper(target: Target) -> Keeper:
    return Keeper(partial(AsyncRunner, target, emitter=Emitter(log_events)))


keeper_of: Final = PerTarget(_keeper).of
