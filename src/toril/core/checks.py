"""Checks that options of many kinds share."""

from collections.abc import Sequence
from typing import TypeVar

from toril.core.errors import BadInputError

T = TypeVar("T")


def check_whole(value: object, field: str, least: int, most: int) -> int:
    """The value, if it is an int within these bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise BadInputError(field, f"{value!r} is not a whole number from {least:,} to {most:,}")
    return value


def check_one_of(value: T, allowed: Sequence[T], field: str) -> T:
    """The value, if it is one of these words."""
    if value not in allowed:
        raise BadInputError(field, f"{value!r} is not one of {', '.join(map(str, allowed))}")
    return value


def check_truth(value: object, field: str) -> bool:
    """The value, if it is True or False."""
    if not isinstance(value, bool):
        raise BadInputError(field, f"{value!r} is neither True nor False")
    return value
