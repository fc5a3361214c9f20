"""What a server tells this process of keys that change, for all caches that want to know.

The server is asked to say every change below some prefixes (`CLIENT TRACKING … BCAST`) to
connections of their own, one to each node, in the background thread.
"""

import threading
from collections.abc import Sequence
from typing import Final, Protocol

from toril.connection import Target
from toril.connection.push_fleet import PushFleet
from toril.connection.push_line import LONGEST_SILENCE_S
from toril.core.operation import Argument, Reply
from toril.core.process import in_every_fork
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import Event
from toril.toolkit.background import Duty, begin

Prefixes = tuple[str, ...]


class Hearer(Protocol):
    """Who wants to know of changes. Called in the background, and must not block or raise."""

    @property
    def emitter(self) -> Emitter:
        """Whom to tell of lost connections."""
        ...

    def changed(self, keys: Sequence[str]) -> None:
        """These keys have changed."""
        ...

    def opened(self) -> None:
        """From now on it is told of changes."""
        ...

    def missed(self, reason: str) -> None:
        """Any key may have changed."""
        ...

    def renew(self) -> None:
        """This is a fork: nobody listens here, and a lock may be held by nobody."""
        ...


class Tracker:
    """Hears of the keys below some prefixes of one server or cluster. Made by `track`."""

    def __init__(self, target: Target, prefixes: Prefixes) -> None:
        self.hearers: tuple[Hearer, ...] = ()
        self._prefixes: Final = prefixes
        self._fleet: Final = PushFleet(
            target,
            purpose="changes of caches",
            listener=self,
            emitter=Emitter(self._tell),
        )
        self._duty: Duty | None = None

    @property
    def trusted_until(self) -> float:
        """Up to this moment of the monotonic clock, what was not said to change is as it was.

        It moves on while the server gives signs of life. What rests on it does not depend on
        when the background finds the time to notice that one is missing.
        """
        return self._fleet.heard_until + LONGEST_SILENCE_S

    def begin(self) -> None:
        """Listen from now on."""
        self._duty = begin(self._fleet.run())

    def end(self) -> None:
        """Listen no more."""
        if self._duty:
            self._duty.end()

    def opening(self) -> Sequence[Sequence[Argument]]:
        """Ask for every change below the prefixes."""
        words = [word for prefix in self._prefixes for word in ("PREFIX", prefix)]
        return (("CLIENT", "TRACKING", "ON", "BCAST", *words),)

    def opened(self) -> None:
        """What was read before this may have changed unheard."""
        for hearer in self.hearers:
            hearer.opened()

    def heard(self, news: list[Reply]) -> None:
        """Some keys changed, or all of them."""
        match news:
            case [b"invalidate", list(names)]:
                keys = [bytes(name).decode(errors="replace") for name in names]
                for hearer in self.hearers:
                    hearer.changed(keys)
            case [b"invalidate", None]:
                self._missed("the server was flushed")
            case _:
                pass  # the server's words about other things

    def lost(self) -> None:
        """Nothing is known any more."""
        self._missed("the server cannot be heard, or others have its keys")

    def _missed(self, reason: str) -> None:
        for hearer in self.hearers:
            hearer.missed(reason)

    def _tell(self, event: Event) -> None:
        for hearer in self.hearers:
            hearer.emitter.emit(event)


class _Registry:
    """The trackers of this process, and who may change them now."""

    lock = threading.Lock()
    trackers: Final[dict[tuple[Target, Prefixes], Tracker]] = {}

    @classmethod
    def renew(cls) -> None:
        """In a fork nobody listens."""
        cls.lock = threading.Lock()
        for tracker in cls.trackers.values():
            for hearer in tracker.hearers:
                hearer.renew()
        cls.trackers.clear()


in_every_fork(_Registry.renew)


def track(target: Target, prefixes: Prefixes, hearer: Hearer) -> Tracker:
    """Tell `hearer` of changes below these prefixes, on lines that all who want the same share."""
    with _Registry.lock:
        tracker = _Registry.trackers.get((target, prefixes))
        if tracker is None:
            tracker = _Registry.trackers[target, prefixes] = Tracker(target, prefixes)
            tracker.begin()
        if hearer not in tracker.hearers:
            tracker.hearers = (*tracker.hearers, hearer)
    return tracker


def untrack(target: Target, prefixes: Prefixes, hearer: Hearer) -> None:
    """Tell it no more; with the last one the lines go."""
    with _Registry.lock:
        tracker = _Registry.trackers.get((target, prefixes))
        if tracker is None:
            return
        tracker.hearers = tuple(other for other in tracker.hearers if other != hearer)
        if tracker.hearers:
            return
        del _Registry.trackers[target, prefixes]
    tracker.end()
