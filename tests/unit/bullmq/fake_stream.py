"""A line on which events arrive when a test has them happen."""

import asyncio
from collections.abc import Sequence

from toril.bullmq.operations.inspect.read_events import ReadEvents, StoredEvent
from toril.bullmq.operations.inspect.stream_edges import Edges, GetStreamEdges
from toril.core.errors import ScriptError


class FakeStream:
    """Errors happen on it as events do; `edges` is what the stream keeps."""

    def __init__(self) -> None:
        self.questions: list[ReadEvents] = []
        self.breaks = 0
        self.is_closed = False
        self.edges: Edges | None = None
        self._happened: asyncio.Queue[Sequence[StoredEvent] | Exception] = asyncio.Queue()

    def happens(self, *events: StoredEvent) -> None:
        self._happened.put_nowait(events)

    def fails(self, error: Exception) -> None:
        self._happened.put_nowait(error)

    async def read(
        self, question: ReadEvents, then: Sequence[GetStreamEdges]
    ) -> tuple[object, list[object]]:
        self.questions.append(question)
        try:
            happened = await self._happened.get()
        except asyncio.CancelledError:
            self.breaks += 1
            raise
        if isinstance(happened, Exception) and not isinstance(happened, ScriptError):
            raise happened
        return happened, [self.edges for _ in then]

    async def close(self) -> None:
        self.is_closed = True
