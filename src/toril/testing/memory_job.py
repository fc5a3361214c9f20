"""A job of a `MemoryQueue`, as tests look at it."""

from dataclasses import dataclass
from enum import Enum
from typing import Final, TypedDict

from toril.core.backoff import Backoff
from toril.core.durations import Duration

NOWHERE: Final = (0, 0)
"""The place of a job that stands in no line."""


class JobState(Enum):
    """Where a job is."""

    WAITING = "waiting"
    DELAYED = "delayed"
    ACTIVE = "active"
    COMPLETED = "completed"
    FAILED = "failed"


class JobSettings(TypedDict, total=False):
    """How a job is to be worked, when not as it comes."""

    priority: int
    """0 runs before all, then 1, 2 and so on."""

    attempts: int
    backoff: Backoff

    timeout: Duration
    """How long a handler may run it."""


@dataclass(slots=True, kw_only=True, eq=False)
class MemoryJob:
    """A job with its whole story. The queue changes it under its lock; others only read."""

    id: str
    name: str
    data: object
    priority: int = 0
    attempts: int = 1
    backoff: Backoff | None = None
    timeout: Duration | None = None
    state: JobState = JobState.WAITING
    attempts_made: int = 0
    """Attempts that ended in success or failure."""

    losses: int = 0
    """How often its worker went away with it."""

    result: object = None
    reason: str = ""
    """Why the newest attempt failed."""

    place: tuple[int, int] = NOWHERE
    """Where it stands in its line; an entry of a line with another place is outdated."""

    is_cancelled: bool = False
    token: str = ""
    lease_ends_ms: int = 0
