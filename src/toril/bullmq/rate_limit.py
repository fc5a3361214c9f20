"""How many jobs may start in a period."""

from dataclasses import dataclass
from typing import Final

from toril.core.checks import check_whole
from toril.core.durations import Duration, to_ms, to_timedelta

MOST_JOBS: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class RateLimit:
    """At most `max` jobs start in every `duration`, which begins with the first of them.

    Raises:
        BadInputError: `max` is not a whole number above 0, or the duration is not above 0.
    """

    max: int
    duration: Duration

    def __post_init__(self) -> None:
        check_whole(self.max, "max", 1, MOST_JOBS)
        duration_ms = to_ms(self.duration, "duration", minimum=1)
        object.__setattr__(self, "duration", to_timedelta(duration_ms))

    @property
    def duration_ms(self) -> int:
        """The period in milliseconds."""
        return to_ms(self.duration, "duration")
