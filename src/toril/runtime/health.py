"""What an engine says about itself when asked: progress, not connection."""

from dataclasses import dataclass
from enum import Enum

from toril.core.durations import Duration, to_ms


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
    slots: int
    """How many handlers may run at the same time."""

    running: int
    stuck: int
    """Handlers that did not stop when they were told to; each keeps its slot until it ends."""

    unsettled: int
    """Outcomes the store has not acknowledged yet."""

    last_answer_ms_ago: float | None
    """Since the store last answered; None when it never did.

    After an exchange that failed nothing counts but the next one that succeeds: a store that
    answers everything else lets no job be taken all the same.
    """

    problem: str
    """The error of the newest call, or nothing when the store has answered since."""

    def trouble(self, *, silence: Duration = 30) -> str:
        """Why this worker gets nothing done, or nothing when it does.

        `silence` is how long the store may fail to answer: at least 10 s, as an idle worker asks
        every five seconds.

        >>> if trouble := worker.health().trouble():
        ...     print(f"not healthy: {trouble}")
        """
        silence_ms = to_ms(silence, "silence", minimum=10_000)
        if self.state is State.STOPPED:
            return "it has stopped"
        if self.stuck >= self.slots:
            return "every slot is held by a handler that did not stop when it was told to"
        if self.last_answer_ms_ago is None:
            return self._because("the server has never answered")
        if self.last_answer_ms_ago > silence_ms:
            ago_s = self.last_answer_ms_ago / 1_000
            return self._because(f"the server last answered {ago_s:.0f} s ago")
        return ""

    def _because(self, what: str) -> str:
        return f"{what}: {self.problem}" if self.problem else what
