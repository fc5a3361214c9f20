"""Wait for an event instead of sleeping and hoping."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeAlias, TypeVar

from toril.core.durations import Duration, to_ms
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import Event

E = TypeVar("E", bound=Event)

_Waker: TypeAlias = Callable[[], None]

_PATIENCE_S: Final = 5.0
_SHOWN: Final = 50


class EventNotSeenError(AssertionError):
    """The event did not come; the message lists what came instead."""


class EventWaiter:
    """Remembers every event of an emitter and lets a test wait for the next of a kind.

    Each event is handed out once: two calls of `next` get two events, also when both happened
    before. Events may come from any thread; `next` belongs to one loop.

        waiter = EventWaiter(emitter)
        await queue.add("welcome", {})
        completed = await waiter.next(JobCompleted, job_id="1")
    """

    def __init__(self, emitter: Emitter) -> None:
        self._lock = threading.Lock()
        self._seen: list[Event] = []
        self._unread: list[Event] = []
        self._wakers: list[_Waker] = []
        self._unsubscribe = emitter.subscribe(self._remember)

    def close(self) -> None:
        """Hear nothing from now on."""
        self._unsubscribe()

    @property
    def seen(self) -> tuple[Event, ...]:
        """Everything that happened so far, in order."""
        with self._lock:
            return tuple(self._seen)

    def count(self, kind: type[E], **fields: object) -> int:
        """How many events of this kind, with these fields, happened so far."""
        return sum(_matches(event, kind, fields) for event in self.seen)

    async def next(self, kind: type[E], *, timeout: Duration = _PATIENCE_S, **fields: object) -> E:  # noqa: ASYNC109 - seconds or a timedelta, and a message of its own
        """The next event of this kind that has these fields, at once if it happened already.

        Raises:
            EventNotSeenError: it did not happen within `timeout`.
        """
        arrived = asyncio.Event()
        loop = asyncio.get_running_loop()

        def wake() -> None:
            with suppress(RuntimeError):  # the loop may be closed by then
                loop.call_soon_threadsafe(arrived.set)

        with self._lock:
            self._wakers.append(wake)
        try:
            async with asyncio.timeout(to_ms(timeout, "timeout") / 1_000):
                while (event := self._take(kind, fields)) is None:
                    await arrived.wait()
                    arrived.clear()
                return event
        except TimeoutError:
            raise EventNotSeenError(self._story(kind, fields)) from None
        finally:
            with self._lock:
                self._wakers.remove(wake)

    def _remember(self, event: Event) -> None:
        with self._lock:
            self._seen.append(event)
            self._unread.append(event)
            wakers = tuple(self._wakers)
        for wake in wakers:
            wake()

    def _take(self, kind: type[E], fields: dict[str, object]) -> E | None:
        with self._lock:
            for index, event in enumerate(self._unread):
                if isinstance(event, kind) and _matches(event, kind, fields):
                    del self._unread[index]
                    return event
        return None

    def _story(self, kind: type[E], fields: dict[str, object]) -> str:
        wanted = ", ".join(f"{name}={value!r}" for name, value in fields.items())
        seen = self.seen
        told = "\n".join(f"  {event}" for event in seen[-_SHOWN:]) or "  nothing"
        return f"{kind.__name__}({wanted}) did not happen. Of {len(seen)} events, the last:\n{told}"


def _matches(event: Event, kind: type[E], fields: dict[str, object]) -> bool:
    return isinstance(event, kind) and all(
        getattr(event, name) == value for name, value in fields.items()
    )
