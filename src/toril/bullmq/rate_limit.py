"""How many jobs may start in a period."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

MOST_JOBS: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class RateLimit:
    """At most `max` jobs start in every `duration`, which begins with the first of them."""

    max: int
    duration: timedelta
