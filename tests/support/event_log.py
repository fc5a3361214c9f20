"""Remember what was emitted."""

from typing import Final, TypeVar

from toril.telemetry.emitter import Emitter
from toril.telemetry.events import Event

E = TypeVar("E", bound=Event)


class EventLog:
    """Every event of an emitter, in order, from whatever thread it came."""

    def __init__(self) -> None:
        self.events: Final[list[Event]] = []
        self.emitter: Final = Emitter(self.events.append)

    def of(self, kind: type[E]) -> list[E]:
        """Those of one class."""
        return [event for event in self.events if isinstance(event, kind)]
