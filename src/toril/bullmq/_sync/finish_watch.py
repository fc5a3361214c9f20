"""Wait for jobs to end, each caller on a connection. A pair with `_async/finish_watch.py`."""

from collections import deque
from time import monotonic
from typing import Final

from toril.bullmq._sync.event_reader import EventReader
from toril.bullmq.operations.inspect.finish_state import Completed, Failed, GetFinishState
from toril.bullmq.wire.keys import QueueKeys
from toril.connection import Runner, Target
from toril.core.errors import (
    JobNotFoundError,
    ResultTimeoutError,
)
from toril.telemetry.emitter import Emitter

_POLL_S: Final = 5.0
"""Between looks at the job itself: the stream is trimmed, so an event may be missed."""


class FinishWatch:
    """Follows the event stream for each thread that waits; may be used from many."""

    def __init__(
        self, target: Target, runner: Runner, keys: QueueKeys, emitter: Emitter
    ) -> None:
        self._target: Final = target
        self._runner: Final = runner
        self._keys: Final = keys
        self._emitter: Final = emitter
        # A reader belongs to one waiting thread; between waits it rests among the idle ones.
        self._idle: Final[deque[EventReader]] = deque()
        self._readers: Final[deque[EventReader]] = deque()

    def wait_for(self, job_id: str, timeout_ms: int | None) -> Completed | Failed:
        """How the job ends."""
        deadline = None if timeout_ms is None else monotonic() + timeout_ms / 1_000
        reader = self._take_reader()
        try:
            while True:
                state = self._runner.run(GetFinishState(keys=self._keys, job_id=job_id))
                if isinstance(state, Completed | Failed):
                    return state
                if not state.exists:
                    raise JobNotFoundError(self._keys.name, job_id)
                until = monotonic() + _POLL_S if deadline is None else min(deadline, monotonic() + _POLL_S)
                reader.position = state.last_event_id
                end = _listen(reader, job_id, until)
                if end is not None:
                    return end
                if deadline is not None and monotonic() >= deadline:
                    raise ResultTimeoutError(job_id, timeout_ms or 0)
        finally:
            self._idle.append(reader)

    def close(self) -> None:
        """Let go of the connections; whoever still waits is told."""
        while self._readers:
            self._readers.pop().close()

    def _take_reader(self) -> EventReader:
        try:
            return self._idle.pop()
        except IndexError:
            reader = EventReader(self._target, self._keys, self._emitter, purpose="results")
            self._readers.append(reader)
            return reader


def _listen(reader: EventReader, job_id: str, until: float) -> Completed | Failed | None:
    while (left_s := until - monotonic()) > 0:
        reading = reader.read(int(left_s * 1_000))
        if reading is None:
            return None
        for event in reading.events:
            if event.job_id == job_id and event.end is not None:
                return event.end
    return None
