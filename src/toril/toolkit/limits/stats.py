"""What a limiter has done in this process."""

from dataclasses import dataclass
from typing import Final

from toril.toolkit.fork_lock import ForkLock
from toril.toolkit.limits.decision import Decision


@dataclass(frozen=True, slots=True)
class LimiterStats:
    """Counts since the limiter was made."""

    allowed: int
    refused: int
    waited: int
    """Of those allowed, how many were for a later moment."""
    degraded: int
    """Decided without the server, one way or the other."""
    cached: int
    """Of those refused, how many without asking the server, because it had just refused."""


class Tally:
    """The counts, which threads share."""

    def __init__(self) -> None:
        self._lock: Final = ForkLock()
        self._allowed = self._refused = self._waited = self._degraded = self._cached = 0

    def count(self, decision: Decision) -> None:
        """One more."""
        with self._lock:
            self._allowed += decision.allowed
            self._refused += not decision.allowed
            self._waited += decision.wait > 0
            self._degraded += decision.degraded

    def count_cached(self) -> None:
        """One more refusal out of memory."""
        with self._lock:
            self._refused += 1
            self._cached += 1

    @property
    def stats(self) -> LimiterStats:
        """The counts now."""
        with self._lock:
            return LimiterStats(
                allowed=self._allowed,
                refused=self._refused,
                waited=self._waited,
                degraded=self._degraded,
                cached=self._cached,
            )
