"""Between what people write, seconds and timedeltas, and what toril stores: milliseconds."""

import sys
from datetime import UTC, datetime, timedelta
from typing import Final, TypeAlias

from toril.core.errors import BadInputError

Duration: TypeAlias = float | timedelta
"""Seconds, as int or float, or a timedelta."""

LONGEST_MS: Final = 10 * 365 * 24 * 3600 * 1000
"""Ten years: far beyond any honest wait."""

LATEST_DUE_MS: Final = 2**53 // 4096 - 1
"""In September 2039; later, the score of a delayed job (its due time times 4096) is not exact."""

_MILLISECOND: Final = timedelta(milliseconds=1)
_SECOND_MS: Final = 1000
_LONGEST_FLOAT: Final = sys.float_info.max / 1000


def to_ms(value: Duration, field: str, *, minimum: int = 0, maximum: int = LONGEST_MS) -> int:
    """The duration in whole milliseconds, rounded; the bounds are milliseconds too.

    A duration that is not zero never becomes zero, which often means something else altogether.

    Raises:
        BadInputError: not a number or a timedelta, not finite, or out of bounds.
    """
    milliseconds = _exact_ms(value, field)
    whole = round(milliseconds) or (1 if milliseconds > 0 else 0)
    if milliseconds < 0 <= minimum:
        raise BadInputError(field, f"{_shown(value)} is negative")
    if whole < minimum:
        raise BadInputError(field, f"{_shown(value)} is less than {_shown_ms(minimum)}")
    if whole > maximum:
        raise BadInputError(field, f"{_shown(value)} is more than {_shown_ms(maximum)}")
    return whole


def to_timedelta(milliseconds: int) -> timedelta:
    """The duration as people read it."""
    return timedelta(milliseconds=milliseconds)


def delay_until(until: datetime | Duration, field: str, *, now_ms: int) -> int:
    """How many milliseconds lie between now and a point in time; 0 when it has passed.

    A number or a timedelta is taken for a duration from now.

    Raises:
        BadInputError: a datetime without a time zone, or too far away.
    """
    if not isinstance(until, datetime):
        return to_ms(until, field)
    wait_ms = max(0, timestamp_ms(until, field) - now_ms)
    if wait_ms > LONGEST_MS:
        raise BadInputError(field, f"{until.isoformat()} is more than ten years away")
    return wait_ms


def check_due(due_ms: int, field: str) -> None:
    """Refuse a moment that the order of delayed jobs cannot hold.

    Raises:
        BadInputError: it is too late.
    """
    if due_ms > LATEST_DUE_MS:
        latest = datetime.fromtimestamp(LATEST_DUE_MS // 1000, UTC)
        raise BadInputError(
            field,
            f"ends after {latest:%d %B %Y}, the latest moment a delayed job can be due: "
            "keep the job elsewhere until then",
        )


def timestamp_ms(moment: datetime, field: str) -> int:
    """The moment in milliseconds since 1970.

    Raises:
        BadInputError: the datetime has no time zone. It would mean the zone of whichever machine
            runs this line, and the same job would run hours apart from two of them.
    """
    if moment.utcoffset() is None:
        raise BadInputError(
            field,
            f"{moment.isoformat()} has no time zone, so it means another moment on another "
            "machine: use datetime.now(UTC), or give it a tzinfo",
        )
    return round(moment.timestamp() * 1000)


def _exact_ms(value: Duration, field: str) -> float:
    if isinstance(value, timedelta):
        return value / _MILLISECOND
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BadInputError(
            field, f"is of type {type(value).__qualname__}: pass seconds or a timedelta"
        )
    if not -_LONGEST_FLOAT <= value <= _LONGEST_FLOAT:
        raise BadInputError(field, "is not a duration: pass a finite number of seconds")
    return value * 1000


def _shown(value: Duration) -> str:
    return str(value) if isinstance(value, timedelta) else f"{value:g} s"


def _shown_ms(milliseconds: int) -> str:
    return f"{milliseconds} ms" if milliseconds < _SECOND_MS else str(to_timedelta(milliseconds))
