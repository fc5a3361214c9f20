"""The books of one lease: until when it certainly stands, and how it ended.

A lease ends here before it can end on the server: its deadline counts from before the request was
sent, by a clock that nobody sets, less what two clocks may differ.
"""

import logging
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from time import monotonic
from typing import Final, Protocol, TypeAlias

from toril.core.process import known_process_id
from toril.telemetry.emitter import Emitter
from toril.telemetry.toolkit_leases import LeaseGone
from toril.toolkit.leases.claim import Claim
from toril.toolkit.leases.terms import Terms

LossListener: TypeAlias = Callable[[], object]

CLOSING_S: Final = 1.0
"""How long closing may take."""

NOT_THERE: Final = "the server has it no more"

_LOG: Final = logging.getLogger("toril.toolkit")
_DRIFT: Final = 0.01
_DRIFT_S: Final = 0.002


def call_safely(listener: LossListener, name: str) -> None:
    """Tell one listener of a loss, whatever becomes of that: others are to be told as well.

    `sys.exit` in the background would end the thread that renews everything else.
    """
    with others_spared(name):
        listener()


@contextmanager
def others_spared(name: str) -> Iterator[None]:
    """Log what a listener of a loss raises in here, and go on."""
    try:
        yield
    except (Exception, SystemExit):  # noqa: BLE001 - whatever a listener raises is its own
        _LOG.exception("a listener failed when %r was lost", name)


class _State(Enum):
    HELD = "held"
    RELEASED = "it was released"
    LOST = "lost"


@dataclass(slots=True)
class Office:
    """What all leases of one object have in common."""

    terms: Terms
    emitter: Emitter
    ends_at: float = math.inf
    """When its background has to be done with what it was told, once it is closed."""

    @property
    def is_closed(self) -> bool:
        """Whether nothing is renewed any more."""
        return self.ends_at < math.inf

    def close(self) -> None:
        """Renew nothing any more, and come to an end."""
        self.ends_at = min(self.ends_at, monotonic() + CLOSING_S)


class Named(Protocol):
    """What is held, and by whom."""

    @property
    def kind(self) -> str:
        """Such as `lock`."""
        ...

    @property
    def name(self) -> str:
        """What the caller calls it."""
        ...

    @property
    def token(self) -> str:
        """Whose it is."""
        ...


class Books(Protocol):
    """What a lease reads, whether it has one hold behind it or several."""

    @property
    def claim(self) -> Named:
        """What is held."""
        ...

    @property
    def fence(self) -> int:
        """Above every one before."""
        ...

    @property
    def deadline(self) -> float:
        """Until when it certainly stands."""
        ...

    @property
    def remaining_s(self) -> float:
        """For how long that is."""
        ...

    @property
    def why(self) -> str:
        """Why it is not held any more; empty while it is."""
        ...

    @property
    def was_lost(self) -> bool:
        """Whether it ended before its holder let it go."""
        ...

    def on_lost(self, listener: LossListener) -> None:
        """Call this when it is lost."""
        ...

    def lose(self, why: str) -> None:
        """It is another's, or nobody's."""
        ...

    def look(self) -> bool:
        """Whether it is held; one whose time has passed is lost aloud."""
        ...

    def end(self) -> bool:
        """Its holder lets it go; False when there was nothing left to let go."""
        ...


class Hold:
    """Shared by its holder and the background thread; every method is for any thread."""

    def __init__(self, claim: Claim[object], office: Office, *, fence: int, sent_at: float) -> None:
        self.claim: Final = claim
        self.office: Final = office
        self.fence: Final = fence
        self.deadline = -math.inf
        self.renew_at = math.inf
        self._pid: Final = known_process_id()
        self._guard: Final = threading.Lock()
        self._state = _State.HELD
        self._why = ""
        self._is_last = False
        self._listeners: list[LossListener] = []
        longest_ms = office.terms.max_hold_ms
        self._ends_at: Final = math.inf if longest_ms is None else sent_at + longest_ms / 1000
        self.prolong(sent_at, self.next_ttl_ms(sent_at))

    @property
    def is_held(self) -> bool:
        """Whether it stands, by the clock of this process and in no fork of it."""
        return not self.why

    @property
    def why(self) -> str:
        """Why it is not held any more; empty while it is."""
        if self._state is not _State.HELD:
            return self._why
        if self._pid != known_process_id():
            return "it is the parent process's"
        return "" if monotonic() < self.deadline else self._lateness

    @property
    def was_lost(self) -> bool:
        """Whether it ended before its holder let it go."""
        return self._state is not _State.RELEASED and not self.look()

    @property
    def remaining_s(self) -> float:
        """For how long it certainly stands."""
        return 0.0 if self.why else max(0.0, self.deadline - monotonic())

    @property
    def is_over(self) -> bool:
        """Whether nobody has to look after it any more."""
        return self._state is not _State.HELD

    @property
    def _lateness(self) -> str:
        if self._is_last:
            return "it was held for as long as may be"
        return "it was not renewed in time"

    def take_turn(self, now: float) -> bool:
        """Whether to renew it now, a little early if need be, to travel with others."""
        if not self.office.is_closed and self.renew_at > now + self.office.terms.ttl_ms / 24_000:
            return False
        self.renew_at = math.inf
        return not self.office.is_closed

    def next_ttl_ms(self, now: float) -> int:
        """What to ask for now: the time to live, or what is left of the longest hold."""
        return self.at_most_ms(now, self.office.terms.ttl_ms)

    def at_most_ms(self, now: float, ttl_ms: int) -> int:
        """So much of it as the longest hold leaves."""
        left_ms = (self._ends_at - now) * 1000
        return ttl_ms if left_ms >= ttl_ms else max(int(left_ms), 1)

    def prolong(self, sent_at: float, ttl_ms: int) -> None:
        """The server said yes to a request that was sent then."""
        ttl_s = ttl_ms / 1000
        deadline = min(sent_at + ttl_s * (1 - _DRIFT) - _DRIFT_S, self._ends_at)
        with self._guard:
            self.deadline = max(self.deadline, deadline)
            self._is_last |= sent_at + ttl_s >= self._ends_at - _DRIFT_S
            has_more = self.office.terms.renews and not self._is_last
            self.renew_at = (
                self.deadline - self.office.terms.ttl_ms / 1500 if has_more else math.inf
            )

    def try_again(self, now: float) -> None:
        """A renewal did not get through."""
        self.renew_at = now + self.office.terms.ttl_ms / 12_000

    def on_lost(self, listener: LossListener) -> None:
        """Call this, in whichever thread finds out, when it is lost: now, if it is."""
        with self._guard:
            is_lost = self._state is _State.LOST
            if not is_lost:
                self._listeners.append(listener)
        if is_lost:
            listener()

    def lose(self, why: str) -> None:
        """It is another's, or nobody's."""
        if not self._end(_State.LOST, why):
            return
        self.office.emitter.emit(LeaseGone(kind=self.claim.kind, subject=self.claim.name, why=why))
        for listener in self._listeners:
            call_safely(listener, self.claim.name)

    def look(self) -> bool:
        """Whether it is held; one whose time has passed is lost aloud."""
        why = self.why
        if why and self._pid == known_process_id():
            self.lose(why)
        return not why

    def end(self) -> bool:
        """Its holder lets it go; False when there was nothing left to let go."""
        return self.look() and self._end(_State.RELEASED, _State.RELEASED.value)

    def _end(self, state: _State, why: str) -> bool:
        with self._guard:
            if self._state is not _State.HELD:
                return False
            self._state, self._why = state, why
            return True
