"""How long a failed job waits before its next attempt: BullMQ's arithmetic, to the millisecond."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, Self, TypeAlias, get_args

from toril.core.durations import LONGEST_MS, Duration, to_ms
from toril.core.errors import BadInputError

Random: TypeAlias = Callable[[], float]
"""Draws from [0, 1), like `CHANCE.random`."""

BackoffKind: TypeAlias = Literal["fixed", "exponential"]

BACKOFF_KINDS: Final = get_args(BackoffKind)

DEFAULT_CAP_MS: Final = 3_600_000
"""A worker's cap unless told otherwise: one hour."""

_MOST_DOUBLINGS: Final = 62
"""By then a single millisecond has passed every cap; larger powers only overflow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """The waits between the attempts of a job.

    `jitter` is the share of each wait that is left to chance: 0 none, 1 all of it.
    `base_ms` may be a fraction, because what Node stores may be one.

    >>> exponential = Backoff.exponential(1)
    >>> [exponential.delay_ms(failed, random=lambda: 0.0) for failed in (1, 2, 3)]
    [1000, 2000, 4000]
    """

    kind: BackoffKind
    base_ms: float
    jitter: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in BACKOFF_KINDS:
            raise BadInputError("backoff.kind", f"{self.kind!r} is neither fixed nor exponential")
        _check_range(self.base_ms, "backoff.delay", "milliseconds", maximum=LONGEST_MS)
        _check_range(self.jitter, "backoff.jitter", "as a share", maximum=1)

    @classmethod
    def fixed(cls, delay: Duration, *, jitter: float = 0.0) -> Self:
        """The same wait before every attempt."""
        return cls(kind="fixed", base_ms=to_ms(delay, "backoff.delay"), jitter=jitter)

    @classmethod
    def exponential(cls, delay: Duration, *, jitter: float = 0.0) -> Self:
        """`delay` after the first failure, twice as long after each further one."""
        return cls(kind="exponential", base_ms=to_ms(delay, "backoff.delay"), jitter=jitter)

    def delay_ms(self, failed: int, random: Random, *, max_ms: int = DEFAULT_CAP_MS) -> int:
        """The wait after attempt number `failed` (1 is the first); 0 means retry at once.

        Node has no cap. Ours bends the wait before chance does, so that jobs that all sit at
        the cap still come back spread out.
        """
        doublings = min(failed - 1, _MOST_DOUBLINGS) if self.kind == "exponential" else 0
        wait_ms = min(_rounded(self.base_ms * 2**doublings), max_ms)
        if not self.jitter:
            return wait_ms
        return math.floor(random() * wait_ms * self.jitter + wait_ms * (1 - self.jitter))


def _rounded(number: float) -> int:
    """Halves go up, as Math.round has it; Python's `round` sends them to the even neighbour."""
    return math.floor(number + 0.5)


def _check_range(value: object, field: str, unit: str, *, maximum: float) -> None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not (is_number and 0 <= value <= maximum):  # type: ignore[operator]
        raise BadInputError(field, f"{value!r} is not between 0 and {maximum} {unit}")


DEFAULT_BACKOFF: Final = Backoff.exponential(1)
"""What toril gives a job that does not say otherwise."""
