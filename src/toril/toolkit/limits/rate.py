"""Read how often something may happen: `100/minute`, `5/10s`, `1000 per day`."""

import re
from difflib import get_close_matches
from typing import Final, NamedTuple

from toril.core.errors import BadInputError

MOST: Final = 2**31
LONGEST_PERIOD_MS: Final = 366 * 24 * 3600 * 1000

_RATE: Final = re.compile(r"\s*([0-9][0-9_,]*)\s*(?:/|\bper\b)\s*([0-9]*)\s*([A-Za-z]+)\s*")
_UNITS_MS: Final = {
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), 1),
    **dict.fromkeys(("s", "sec", "second", "seconds"), 1_000),
    **dict.fromkeys(("m", "min", "minute", "minutes"), 60_000),
    **dict.fromkeys(("h", "hour", "hours"), 3_600_000),
    **dict.fromkeys(("d", "day", "days"), 86_400_000),
}


class Rate(NamedTuple):
    """So many in so many milliseconds."""

    quota: int
    period_ms: int


def parse_rate(text: object) -> Rate:
    """The rate that the text says.

    Raises:
        BadInputError: it is no rate, or out of bounds.
    """
    match = _RATE.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise BadInputError("rate", f"{text!r} is not like '100/minute' or '5/10 seconds'")
    quota = int(re.sub("[_,]", "", match[1]))
    period_ms = int(match[2] or 1) * _unit_ms(match[3].lower())
    if not 1 <= quota <= MOST:
        raise BadInputError("rate", f"{text!r} allows {quota:,}: pass 1 to {MOST:,}")
    if not 1 <= period_ms <= LONGEST_PERIOD_MS:
        raise BadInputError("rate", f"the period of {text!r} is not from 1 ms to 366 days")
    return Rate(quota, period_ms)


def _unit_ms(word: str) -> int:
    if word not in _UNITS_MS:
        near = get_close_matches(word, _UNITS_MS, 1)
        guess = f", did you mean {near[0]!r}?" if near else ": use second, minute, hour or day"
        raise BadInputError("rate", f"unknown unit {word!r}{guess}")
    return _UNITS_MS[word]
