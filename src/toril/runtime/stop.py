"""Why a handler is to stop, and how it learns of it."""

from enum import Enum
from typing import Final, Protocol

from toril.core.errors import HandlerTimeoutError, JobCancelledError, TorilError


class StopReason(Enum):
    """Why a handler is to stop; of several reasons, the one further down counts."""

    SHUTDOWN = "shutdown"
    """Its worker ends. What it still returns is stored; otherwise the job goes back."""

    TIMEOUT = "timeout"
    """It has run for longer than it may: the attempt fails, whatever it still returns."""

    CANCELLED = "cancelled"
    """Somebody cancelled the job: it fails for good, whatever the handler still returns."""

    LEASE_LOST = "lease lost"
    """The job is another worker's by now, or will be: nothing that is returned counts."""


class StopSignal(Protocol):
    """A run as its handler sees it; may be read from any thread."""

    @property
    def stop(self) -> StopReason | None:
        """Why it is to stop; None as long as it is not."""
        ...


def outranks(reason: StopReason, other: StopReason | None) -> bool:
    """Whether a run that is to stop for the other reason is now to stop for this one."""
    return other is None or _RANKS[reason] > _RANKS[other]


def error_of(reason: StopReason | None, timeout_ms: int | None) -> TorilError | None:
    """What the attempt fails with when its handler was stopped for this reason, if it fails."""
    match reason:
        case StopReason.TIMEOUT:
            return HandlerTimeoutError(timeout_ms or 0)
        case StopReason.CANCELLED:
            return JobCancelledError()
        case _:
            return None


_RANKS: Final = {reason: rank for rank, reason in enumerate(StopReason)}
