"""Wait for jobs to end, each caller on a connection. A pair with `_async/finish_watch.py`."""

from collections import deque
from time import monotonic
from typing import Final

from toril.bullmq.operations.inspect.finish_state import Completed, Failed, GetFinishState
from toril.bullmq.operations.inspect.read_events import ReadEvents
from toril.bullmq.wire.keys import QueueKeys
from toril.connection import Line, Runner, Target
from toril.core.errors import (
    JobNotFoundError,
    OutcomeUnknownError,
    ResultTimeoutError,
    TorilError,
    UnavailableError,
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
        # A line belongs to one waiting thread; between waits it rests here.
        self._idle: Final[deque[Line]] = deque()

    def wait_for(self, job_id: str, timeout_ms: int | None) -> Completed | Failed:
        """How the job ends."""
        deadline = None if timeout_ms is None else monotonic() + timeout_ms / 1_000
        line = self._take_line()
        try:
            while True:
                state = self._runner.run(GetFinishState(keys=self._keys, job_id=job_id))
                if isinstance(state, Completed | Failed):
                    return state
                if not state.exists:
                    raise JobNotFoundError(self._keys.name, job_id)
                until = monotonic() + _POLL_S if deadline is None else min(deadline, monotonic() + _POLL_S)
                end = self._listen(line, job_id, state.last_event_id, until)
                if end is not None:
                    return end
                if deadline is not None and monotonic() >= deadline:
                    raise ResultTimeoutError(job_id, timeout_ms or 0)
        finally:
            self._idle.append(line)

    def close(self) -> None:
        """Let go of the connections."""
        while self._idle:
            self._idle.pop().close()

    def _take_line(self) -> Line:
        try:
            return self._idle.pop()
        except IndexError:
            return Line(
                self._target, key=self._keys.events, purpose="results", emitter=self._emitter
            )

    def _listen(
        self, line: Line, job_id: str, after_id: str, until: float
    ) -> Completed | Failed | None:
        while (left_s := until - monotonic()) > 0:
            question = ReadEvents(keys=self._keys, after_id=after_id, block_ms=int(left_s * 1_000))
            try:
                events, _ = line.read(question)
            except (UnavailableError, OutcomeUnknownError):
                return None
            if isinstance(events, TorilError):
                raise events
            for event in events:
                if event.job_id == job_id and event.end is not None:
                    return event.end
                after_id = event.id
        return None
