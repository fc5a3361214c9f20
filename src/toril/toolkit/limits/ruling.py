"""What a set of limits says about one request, wherever it was decided."""

from collections.abc import Sequence
from typing import NamedTuple

NEVER: int = -1


class Reading(NamedTuple):
    """One limit: when it allows the request, what is left of it, and when all of it is back."""

    slot_us: int
    left: int
    neutral_us: int


class Ruling(NamedTuple):
    """The verdict, by one clock, whose zero is nobody's business."""

    granted: bool
    now_us: int
    slot_us: int
    readings: Sequence[Reading]
