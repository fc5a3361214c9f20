"""What an engine says about itself when asked: progress, not connection."""

from dataclasses import dataclass
from enum import Enum


class State(Enum):
    """The life of an engine, in order; no state is entered twice."""

    NEW = "new"
    STARTING = "starting"
    RUNNING = "running"
    DRAINING = "draining"
    STOPPING = "stopping"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """A moment in the life of an engine."""

    state: State
    is_paused: bool
    running: int
    stuck: int
    """Handlers that did not stop when they were told to; each keeps its slot until it ends."""

    unsettled: int
    """Outcomes the store has not acknowledged yet."""

    last_answer_ms_ago: float | None
    """Since the store last answered anything; None when it never did."""

    problem: str
    """The error of the newest call, or nothing when the store has answered since."""
