"""On which terms something is held."""

from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

from toril.core.durations import Duration, to_ms

SHORTEST_MS: Final = 50
LONGEST_MS: Final = 24 * 3600 * 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How long a lease lasts without word of its holder, and how long with it."""

    ttl_ms: int = 30_000
    renews: bool = True
    max_hold_ms: int | None = None
    replicas: int = 0
    """So many replicas must have heard of it, or it is not held."""

    @property
    def first_ttl_ms(self) -> int:
        """How long it lasts without a renewal, from the beginning."""
        return self.ttl_ms if self.max_hold_ms is None else min(self.ttl_ms, self.max_hold_ms)


def check_ttl(ttl: Duration, field: str = "ttl") -> int:
    """The milliseconds of a lease: 50 ms to 24 h.

    Raises:
        BadInputError: it is no duration, or not between these.
    """
    return to_ms(ttl, field, minimum=SHORTEST_MS, maximum=LONGEST_MS)


def check_wait(wait: Duration | None, field: str = "wait") -> int | None:
    """How long to wait, in milliseconds; None for as long as it takes, 0 for not at all.

    Raises:
        BadInputError: it is no duration, or negative.
    """
    return None if wait is None else to_ms(wait, field)


class Wait(Enum):
    """What a call may say instead of a duration."""

    AS_SET = "as set"
    """As the object says for every call."""


Patience: TypeAlias = Duration | Wait | None


def wait_ms(wait: Patience, set_ms: int | None) -> int | None:
    """How long this call waits, in milliseconds.

    Raises:
        BadInputError: it is no duration, or negative.
    """
    return set_ms if isinstance(wait, Wait) else check_wait(wait)
