"""Hand every event to every subscriber, from whatever thread it happens on."""

import logging
from collections.abc import Callable
from typing import Final, TypeAlias

from toril.telemetry.events import Event

Subscriber: TypeAlias = Callable[[Event], None]

_LOG: Final = logging.getLogger("toril.telemetry")


class Emitter:
    """A list of subscribers, called in order; one that raises is reported and skipped."""

    def __init__(self, *subscribers: Subscriber) -> None:
        # Replaced as a whole, never changed in place: `emit` reads it from any thread.
        self._subscribers: tuple[Subscriber, ...] = subscribers

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call `subscriber` for every event from now on; the returned function ends that."""
        self._subscribers = (*self._subscribers, subscriber)

        def unsubscribe() -> None:
            self._subscribers = tuple(s for s in self._subscribers if s is not subscriber)

        return unsubscribe

    def emit(self, event: Event) -> None:
        """Tell everybody; what happened has happened, whatever a subscriber does with it."""
        for subscriber in self._subscribers:
            try:
                subscriber(event)
            except Exception:  # noqa: BLE001 - whatever a subscriber raises is its own
                _LOG.exception("a subscriber failed on %s", type(event).__name__)
