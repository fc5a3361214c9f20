"""What the demo has seen so far: it listens to the worker's events and keeps count."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from toril.telemetry.events import Event, JobCompleted, JobFailed, JobRetried

_REMEMBERED: Final = 40
_RATE_WINDOW_S: Final = 1.0
_SHORTEST_WINDOW_S: Final = 0.2


class Turn(Enum):
    """How an attempt of a job turned out."""

    DONE = "completed"
    RETRY = "retry"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that happened to one job; `number` counts them."""

    number: int
    at_s: float
    job: str
    turn: Turn
    text: str


@dataclass(slots=True)
class Tally:
    """Counts, and the last happenings; events of the worker write it, the display reads it."""

    clock: Callable[[], float]
    started_at: float = 0.0
    added: int = 0
    completed: int = 0
    completed_after_retry: int = 0
    failed: int = 0
    retries: int = 0
    _names: dict[str, str] = field(default_factory=dict)
    _recent: deque[Happening] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))
    _happened: int = 0
    _retried: set[str] = field(default_factory=set)
    _finished_at: deque[float] = field(default_factory=deque)

    def start(self) -> None:
        """Begin to count the seconds."""
        self.started_at = self.clock()

    def __call__(self, event: Event) -> None:
        """Take note of an event."""
        match event:
            case JobCompleted(job_id=job_id, took_ms=took_ms):
                self.completed += 1
                self.completed_after_retry += job_id in self._retried
                self._finished_at.append(self.clock())
                self._note(job_id, Turn.DONE, f"in {took_ms:.0f} ms")
            case JobRetried(job_id=job_id, reason=reason, delay_ms=delay_ms):
                self.retries += 1
                self._retried.add(job_id)
                self._note(job_id, Turn.RETRY, f"in {delay_ms} ms: {reason}")
            case JobFailed(job_id=job_id, reason=reason):
                self.failed += 1
                self._finished_at.append(self.clock())
                self._note(job_id, Turn.FAILED, f"for good: {reason}")
            case _:
                pass

    def note_added(self, job_id: str, name: str) -> None:
        """Take note of a job that was added."""
        self.added += 1
        self._names[job_id] = name

    @property
    def elapsed_s(self) -> float:
        """Seconds since the start."""
        return self.clock() - self.started_at

    @property
    def finished(self) -> int:
        """Jobs that need nothing more."""
        return self.completed + self.failed

    def per_second(self) -> float:
        """How fast jobs finish, over the last second."""
        now = self.clock()
        while self._finished_at and self._finished_at[0] < now - _RATE_WINDOW_S:
            self._finished_at.popleft()
        window_s = min(_RATE_WINDOW_S, max(now - self.started_at, _SHORTEST_WINDOW_S))
        return len(self._finished_at) / window_s

    def since(self, number: int) -> Sequence[Happening]:
        """The happenings after that number, as far as they are remembered."""
        return [happening for happening in self._recent if happening.number > number]

    def _note(self, job_id: str, turn: Turn, text: str) -> None:
        self._happened += 1
        # The worker may be done with a job before the producer hears that it was added.
        job = f"{self._names.get(job_id, 'job')} {job_id}"
        self._recent.append(Happening(self._happened, self.elapsed_s, job, turn, text))
