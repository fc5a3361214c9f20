"""Follow what happens to a queue, on whichever machine, as a stream of events."""

from collections import deque
from contextlib import suppress
from time import monotonic
from typing import Final, Self

from toril.bullmq._async.event_reader import AsyncEventReader, Reading
from toril.bullmq._async.store import AsyncStore
from toril.bullmq.event_position import check_position, missed
from toril.bullmq.naming import QueueName
from toril.bullmq.operations.inspect.stream_edges import GetStreamEdges
from toril.bullmq.queue_events import BEGINNING, QueueEvent
from toril.bullmq.wire.events import read_event
from toril.connection import Target
from toril.core.durations import Duration, to_ms
from toril.core.errors import ClosedError, UnavailableError, UndecodableError
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import QueueEventSkipped
from toril.telemetry.logging import log_events

_BLOCK_MS: Final = 5_000


class AsyncQueueEvents:
    """The events of a queue, one after the other, from now on or from where `after` says.

    `after` is the `id` of the last event that was seen, or `BEGINNING`. Without it, events count
    from the beginning of the `with` block, or from the first one that is asked for.

    It outlives connections and servers: it goes on behind the last event it had. When the queue
    did not keep what came in between, it says so by `EventsMissed`. Entries that nobody can read
    are skipped and told to the emitter (`QueueEventSkipped`).

    >>> async with AsyncQueueEvents("mail", "embedded://") as events:
    ...     async for event in events:
    ...         match event:
    ...             case CompletedEvent(job_id=job_id, result=result):
    ...                 print(job_id, result)
    """

    def __init__(
        self,
        name: str,
        target: object = None,
        *,
        after: str | None = None,
        prefix: str | None = None,
        hash_tag: bool | None = None,
        emitter: Emitter | None = None,
    ) -> None:
        self._after: Final = None if after is None else check_position(after)
        where = Target.of(target)
        known_as = QueueName.of(name, prefix=prefix, hash_tag=hash_tag, cluster=where.is_cluster)
        self.name: Final = name
        self._keys: Final = known_as.keys
        self._emitter: Final = emitter or Emitter(log_events)
        self._store: Final = AsyncStore(known_as, where, self._emitter)
        self._reader: Final = AsyncEventReader(
            where,
            self._keys,
            self._emitter,
            purpose="events",
            client_name=known_as.events_client_name,
        )
        self._ready: Final[deque[QueueEvent]] = deque()
        # Set by whoever closes, from anywhere; read by the one who iterates.
        self._is_closed = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._keys.base}>"

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> QueueEvent:
        """The next event, whenever it comes; the iteration ends when somebody closes this.

        Raises:
            UnavailableError: the server could not be reached at the very beginning.
            QueueNameAmbiguousError: only a queue of another spelling exists.
            DeniedError: it does not let us read the events.
        """
        event = await self._next(None)
        if event is None:
            raise StopAsyncIteration
        return event

    async def next(self, timeout: Duration) -> QueueEvent | None:  # noqa: ASYNC109
        """The next event, or None when none comes in time, or when somebody closes this.

        Raises:
            UnavailableError: the server could not be reached at the very beginning.
            QueueNameAmbiguousError: only a queue of another spelling exists.
            DeniedError: it does not let us read the events.
        """
        return await self._next(monotonic() + to_ms(timeout, "timeout") / 1_000)

    async def close(self) -> None:
        """End the iteration, wherever it waits, and let go of the connections."""
        self._is_closed = True
        await self._reader.close()
        await self._store.close()

    async def __aenter__(self) -> Self:
        await self._begin()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _next(self, deadline: float | None) -> QueueEvent | None:
        try:
            await self._begin()
            while not self._ready and not self._is_closed:
                left_ms = _BLOCK_MS if deadline is None else int((deadline - monotonic()) * 1_000)
                # However short the time is, there is one look: events may be there already.
                reading = await self._reader.read(max(min(left_ms, _BLOCK_MS), 1), with_edges=True)
                if reading is not None:
                    await self._take(reading)
                if deadline is not None and monotonic() >= deadline:
                    break
        except ClosedError:
            return None
        return self._ready.popleft() if self._ready and not self._is_closed else None

    async def _begin(self) -> None:
        """Find the place to read from, once."""
        if self._reader.position:
            return
        await self._store.make_sure()
        self._reader.position = self._after or await self._end()

    async def _end(self) -> str:
        edges = await self._store.runner.run(GetStreamEdges(keys=self._keys))
        return edges[1] if edges else BEGINNING

    async def _take(self, reading: Reading) -> None:
        if reading.edges is None:
            # Nothing at all is told here: maybe all of it is told of the sibling.
            with suppress(UnavailableError):
                await self._store.look_for_sibling()
        gap = missed(reading.after, reading.edges, is_empty=not reading.events)
        if gap is not None:
            self._ready.append(gap)
            if not reading.events:
                self._reader.position = gap.until
        for stored in reading.events:
            try:
                self._ready.append(read_event(stored.id, stored.fields))
            except UndecodableError as error:
                skipped = QueueEventSkipped(
                    queue=self._keys.name, event_id=stored.id, problem=str(error)
                )
                self._emitter.emit(skipped)
