"""Gets, prolongs and ends what is held under a lease, whatever kind of thing it is."""  # generated from _async/desk.py by tools/generate_sync.py: edit that file

import math
from functools import partial
from time import monotonic
from typing import Final, Protocol, TypeVar

from toril.connection.errand import Delivery
from toril.core.errors import (
    ClosedError,
    DeniedError,
    OutcomeUnknownError,
    UnavailableError,
    WrongLoopError,
)
from toril.core.operation import Operation
from toril.telemetry.emitter import Emitter
from toril.telemetry.toolkit_leases import LeaseAcquired, LeaseContended, LeaseReleased
from toril.toolkit.leases._sync.lease import Lease
from toril.toolkit.leases._sync.listener import check_listener
from toril.toolkit.leases._sync.signal import Signal
from toril.toolkit.leases.backstage import Backstage
from toril.toolkit.leases.claim import Busy, Claim, Granted
from toril.toolkit.leases.doubts import Doubts
from toril.toolkit.leases.hold import CLOSING_S, Hold, Office
from toril.toolkit.leases.options import LeaseSettings

E = TypeVar("E")
R = TypeVar("R")

_LOOK_MS: Final = 1_000
"""How long a waiter relies on being told."""

_COPIES_WITHIN_MS: Final = 1_000

_WITHOUT_EFFECT: Final = (UnavailableError, DeniedError, ClosedError, WrongLoopError)


class Server(Protocol):
    """The server that says who holds what, or several that count as one."""

    @property
    def emitter(self) -> Emitter:
        """Who hears of events."""
        ...

    def run(self, operation: Operation[R], /, *, within_ms: int | None = None) -> R:
        """Run one operation; the time it may take is that of every call, or less."""
        ...

    def deliver(self, operation: Operation[R], delivery: Delivery, /) -> R:
        """Run one operation and note how it got there."""
        ...

    def close(self) -> None:
        """Let go of the connection, where no others share it."""
        ...


class Desk:
    """Serves claims by the terms of one object; that is, of one lock."""

    def __init__(
        self,
        server: Server,
        settings: LeaseSettings,
        backstage: Backstage,
    ) -> None:
        check_listener(settings.on_lost)
        self.settings: Final = settings
        self.doubts: Final = Doubts()
        self._server: Final = server
        self._office: Final = Office(settings.terms, server.emitter)
        self._backstage: Final = backstage

    def acquire(self, claim: Claim[E], wait_ms: int | None) -> Lease | E | None:
        """Hold what is claimed; None when it was not to be had in time.

        Or hear, for claims of which that can be said, why there is nothing to hold any more.

        Whatever breaks this off, the server is told that the claim is no more.
        """
        began = monotonic()
        try:
            held = self._attempt(claim, waits=wait_ms != 0)
            if isinstance(held, Busy) and wait_ms != 0:
                ends_at = math.inf if wait_ms is None else began + wait_ms / 1000
                held = self._wait(claim, held, ends_at)
        except BaseException as error:
            in_doubt = claim in self.doubts or not isinstance(error, _WITHOUT_EFFECT)
            if in_doubt or wait_ms != 0:
                self.give_up(claim, in_doubt=in_doubt)
            raise
        if isinstance(held, Busy) and wait_ms != 0:
            self.give_up(claim)
            return None
        if not isinstance(held, Lease):
            self.settle(claim)
            return None if isinstance(held, Busy) else held
        waited_ms = (monotonic() - began) * 1000
        self._server.emitter.emit(
            LeaseAcquired(kind=claim.kind, subject=claim.name, waited_ms=waited_ms)
        )
        return held

    def extend(self, hold: Hold, ttl_ms: int) -> bool:
        """Prolong it now."""
        sent_at = monotonic()
        asked_ms = hold.at_most_ms(sent_at, ttl_ms)
        if not self._server.run(hold.claim.renewal(asked_ms)):
            return False
        hold.prolong(sent_at, asked_ms)
        return True

    def release(self, hold: Hold) -> bool:
        """Let it go; False when it was not held any more."""
        return self.let_go(hold.claim)

    def let_go(self, claim: Claim[object]) -> bool:
        """The same for a claim whose hold has ended already."""
        try:
            was_held = self._release(claim)
        except BaseException:
            self.give_up(claim)
            raise
        self.settle(claim)
        self._server.emitter.emit(LeaseReleased(kind=claim.kind, subject=claim.name))
        return was_held

    def check_open(self, kind: str, name: str) -> None:
        """Nobody would renew what is acquired after closing.

        Raises:
            ClosedError: it was closed, though a connection it shared may be open.
        """
        if self._office.is_closed:
            raise ClosedError(f"the {kind} {name!r}")

    def close(self) -> None:
        """Acquire and renew nothing any more: leases that are held end by themselves.

        What was given up the server is told within a second, or never.
        """
        self._office.close()
        keeper, settled = self._backstage.keeper(), Signal()
        keeper.when_settled(self._office, settled.set)
        try:
            settled.wait(CLOSING_S)
        finally:
            keeper.end_if_idle()
            self._backstage.ringer().end_if_idle()
            self._server.close()

    def _release(self, claim: Claim[object]) -> bool:
        began = monotonic()
        try:
            return self._server.run(claim.release())
        except OutcomeUnknownError:
            left_ms = self.settings.timeout_ms - int((monotonic() - began) * 1000)
            if left_ms <= 0:
                raise
            # It was held until then. Whether the first request or this one ended it is all one.
            self._server.run(claim.surrender(in_doubt=False), within_ms=left_ms)
            return True

    def _return(self, claim: Claim[object]) -> None:
        """Let go of what was granted in vain.

        The claim may be attempted again only when this was heard: what is still on its way could
        end what the next attempt is granted.
        """
        try:
            self._server.run(claim.release())
        except BaseException:
            self.give_up(claim, in_doubt=True)
            raise

    def _wait(self, claim: Claim[E], held: Busy, ends_at: float) -> Lease | Busy | E:
        """Attempt it when it may be free: on a wake-up, at the end of the other's lease."""
        self._server.emitter.emit(LeaseContended(kind=claim.kind, subject=claim.name))
        bell = Signal()
        outcome: Lease | Busy | E = held
        with self._backstage.ringer().listening(claim.channel, claim.member, bell):
            while isinstance(outcome, Busy):
                left_s = ends_at - monotonic()
                if left_s <= 0:
                    break
                bell.wait(min(left_s, outcome.for_ms / 1000, _LOOK_MS / 1000))
                bell.clear()
                outcome = self._attempt(claim, waits=True)
        return outcome

    def _attempt(self, claim: Claim[E], *, waits: bool) -> Lease | Busy | E:
        self.check_open(claim.kind, claim.name)
        terms, sent_at = self._office.terms, monotonic()
        acquisition = claim.acquisition(terms.first_ttl_ms, waits=waits)
        delivery = Delivery(terms.replicas, _COPIES_WITHIN_MS, _is_granted)
        with self.doubts.noted(claim, delivery):
            granted = self._server.deliver(acquisition, delivery)
        if not isinstance(granted, Granted):
            return granted
        hold = Hold(claim, self._office, fence=granted.fence, sent_at=sent_at)
        if delivery.reached < terms.replicas or not hold.is_held:
            # Too few know of it, or it was as good as over when the answer came.
            self._return(claim)
            return Busy(_LOOK_MS if hold.is_held else 0)
        return self._begin(hold)

    def begin(self, claim: Claim[object], *, fence: int, sent_at: float) -> Lease:
        """A lease on what was granted to a request that was sent then."""
        return self._begin(Hold(claim, self._office, fence=fence, sent_at=sent_at))

    def give_up(self, claim: Claim[object], *, in_doubt: bool = False) -> None:
        """Let the server know in the background that this claim is no more."""
        in_doubt |= claim in self.doubts
        self._backstage.keeper().give_up(claim, self._office, in_doubt=in_doubt)

    def settle(self, claim: Claim[object]) -> None:
        """It is no more, as the server knows: let nothing come of what may be on its way to it."""
        if claim in self.doubts:
            self.give_up(claim)

    def _begin(self, hold: Hold) -> Lease:
        lease = Lease(hold, self)
        # When it is lost without the server's word, a late renewal may keep it from others.
        hold.on_lost(partial(self.give_up, hold.claim))
        if self.settings.on_lost:
            lease.on_lost(self.settings.on_lost)
        self._backstage.keeper().keep(hold)
        return lease


def _is_granted(outcome: object) -> bool:
    return isinstance(outcome, Granted)
