"""Wait for jobs to end: one blocking read for everybody. A pair with `_sync/finish_watch.py`."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable
from itertools import chain
from typing import Final

from toril.bullmq._async.event_reader import AsyncEventReader
from toril.bullmq.operations.inspect.finish_state import Completed, Failed, GetFinishState
from toril.bullmq.operations.inspect.read_events import StoredEvent
from toril.bullmq.wire.keys import QueueKeys
from toril.connection import AsyncRunner, Target
from toril.core.errors import (
    ClosedError,
    JobNotFoundError,
    ResultTimeoutError,
)
from toril.telemetry.emitter import Emitter

_POLL_MS: Final = 5_000
"""Between looks at the job itself: the stream is trimmed, so an event may be missed."""


class AsyncFinishWatch:
    """Follows the event stream as long as somebody waits. All of it belongs to one loop."""

    def __init__(
        self, target: Target, runner: AsyncRunner, keys: QueueKeys, emitter: Emitter
    ) -> None:
        self._runner: Final = runner
        self._keys: Final = keys
        self._reader: Final = AsyncEventReader(target, keys, emitter, purpose="results")
        self._waiting: defaultdict[str, set[asyncio.Future[Completed | Failed]]] = defaultdict(set)
        self._reading: asyncio.Task[None] | None = None

    async def wait_for(self, job_id: str, timeout_ms: int | None) -> Completed | Failed:
        """How the job ends."""
        end: asyncio.Future[Completed | Failed] = asyncio.get_running_loop().create_future()
        # Listed before the first look: whatever happens after the look is heard.
        self._waiting[job_id].add(end)
        try:
            # Whatever the timeout is, there is one look: the job may have ended already.
            known = await self._look(job_id, end)
            async with asyncio.timeout(None if timeout_ms is None else timeout_ms / 1_000):
                return known or await self._watch(job_id, end)
        except TimeoutError:
            raise ResultTimeoutError(job_id, timeout_ms or 0) from None
        finally:
            self._forget(job_id, end)

    async def close(self) -> None:
        """Stop listening; whoever still waits is told."""
        if self._reading is not None:
            self._reading.cancel()
        for end in chain(*self._waiting.values()):
            if not end.done():
                end.set_exception(ClosedError(f"queue {self._keys.name!r}"))
        await self._reader.close()

    async def _watch(
        self, job_id: str, end: asyncio.Future[Completed | Failed]
    ) -> Completed | Failed:
        while True:
            await asyncio.wait((end,), timeout=_POLL_MS / 1_000)
            if (known := await self._look(job_id, end)) is not None:
                return known

    async def _look(
        self, job_id: str, end: asyncio.Future[Completed | Failed]
    ) -> Completed | Failed | None:
        if end.done():
            return end.result()
        state = await self._runner.run(GetFinishState(keys=self._keys, job_id=job_id))
        if end.done():
            return end.result()
        if isinstance(state, Completed | Failed):
            return state
        if not state.exists:
            raise JobNotFoundError(self._keys.name, job_id)
        if self._reading is None or self._reading.done():
            self._reader.position = state.last_event_id
            self._reading = asyncio.create_task(self._read())
        return None

    def _forget(self, job_id: str, end: asyncio.Future[Completed | Failed]) -> None:
        self._waiting[job_id].discard(end)
        if not self._waiting[job_id]:
            del self._waiting[job_id]

    async def _read(self) -> None:
        # It ends after its block, not with the last who waits: cancelling would cost the
        # connection, and another is likely to come.
        while self._waiting:
            if (reading := await self._reader.read(_POLL_MS)) is not None:
                self._tell(reading.events)

    def _tell(self, events: Iterable[StoredEvent]) -> None:
        for event in events:
            end = event.end
            if end is None:
                continue
            for waiting in self._waiting.get(event.job_id, ()):
                if not waiting.done():
                    waiting.set_result(end)
