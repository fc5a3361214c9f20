"""Absolute times, told as the step they fell into: the only thing two runs can have in common."""

import time
from dataclasses import dataclass, field

SLACK_MS = 1
"""Two clocks of one machine may round differently."""


def now_ms() -> int:
    """Milliseconds since the epoch, as servers and clients of this machine count them."""
    return time.time_ns() // 1_000_000


@dataclass
class StepClock:
    """When each step of a run began and ended. Steps are kept apart by more than the slack."""

    windows: list[tuple[int, int]] = field(default_factory=list)

    def add(self, began_ms: int, ended_ms: int) -> None:
        """Note the next step's time."""
        self.windows.append((began_ms, ended_ms))

    def name(self, ms: float) -> str | None:
        """The step within which this time lies; None for a time that no step explains."""
        for number, (began_ms, ended_ms) in enumerate(self.windows, 1):
            if began_ms - SLACK_MS <= ms <= ended_ms + SLACK_MS:
                return f"<step {number}>"
        return None

    @property
    def gap_ends_ms(self) -> int:
        """The next step must not begin before this."""
        return self.windows[-1][1] + 2 * SLACK_MS + 1 if self.windows else 0
