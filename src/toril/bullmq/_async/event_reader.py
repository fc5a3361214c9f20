"""Read the event stream of a queue, on a connection of its own: all who follow it use this."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from toril.bullmq.operations.inspect.read_events import ReadEvents, StoredEvent
from toril.bullmq.operations.inspect.stream_edges import Edges, GetStreamEdges
from toril.bullmq.wire.keys import QueueKeys
from toril.connection import AsyncLine, Target
from toril.core.errors import OutcomeUnknownError, TorilError, UnavailableError
from toril.telemetry.emitter import Emitter


class Reading(NamedTuple):
    """Events from behind `after`, oldest first, and what the stream kept when they were read."""

    after: str
    events: Sequence[StoredEvent]
    edges: Edges | None = None


class AsyncEventReader:
    """One user, one read at a time. A read moves the position behind what it brought.

    What is lost on the way is read again, on a new connection; nothing but `close` ends that.
    """

    def __init__(
        self,
        target: Target,
        keys: QueueKeys,
        emitter: Emitter,
        *,
        purpose: str,
        client_name: str | None = None,
    ) -> None:
        self.position = ""
        self._keys: Final = keys
        self._line: Final = AsyncLine(
            target, key=keys.events, purpose=purpose, client_name=client_name, emitter=emitter
        )

    async def read(self, block_ms: int, *, with_edges: bool = False) -> Reading | None:
        """The events behind the position; none of them when nothing happens for so long.

        None when the server was not to be had: the next read rests before it tries again.

        Raises:
            WireError: what is stored there is no stream.
            DeniedError: the server does not let us read it.
            ClosedError: it was closed.
        """
        question = ReadEvents(keys=self._keys, after_id=self.position, block_ms=block_ms)
        look = (GetStreamEdges(keys=self._keys),) if with_edges else ()
        try:
            events, edges = await self._line.read(question, look)
            answers = [_had(answer) for answer in (events, *edges)]
        except (UnavailableError, OutcomeUnknownError):
            return None
        reading = Reading(self.position, *answers)  # type: ignore[arg-type]
        if reading.events:
            self.position = reading.events[-1].id
        return reading

    async def close(self) -> None:
        """Let go of the connection; a read that waits is over."""
        await self._line.close()


def _had(answer: object) -> object:
    if isinstance(answer, TorilError):
        raise answer
    return answer
