"""A backoff of somebody's own kind, as the caller says it and as it is stored."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Self

from toril.bullmq.wire.options import StoredBackoff
from toril.core.backoff import BACKOFF_KINDS
from toril.core.durations import LONGEST_MS, Duration, to_ms, to_timedelta
from toril.core.errors import BadInputError
from toril.core.ids import check_backoff_name

_FIELD: Final = "backoff"


@dataclass(frozen=True, slots=True)
class CustomBackoff:
    """Pauses that the worker works out, by a name on which it and the producer agree.

    In toril the worker does it by its `backoff_strategy`, in Node by `settings.backoffStrategy`.
    `delay` is stored for them to go by; not all of them need one.

    >>> async with AsyncQueue("mail", "embedded://") as queue:
    ...     await queue.add("a", attempts=5, backoff=CustomBackoff("office hours"))

    Raises:
        BadInputError: names the part, and what it may be.
    """

    name: str
    delay: Duration | None = None

    def __post_init__(self) -> None:
        check_backoff_name(self.name)
        if self.name in BACKOFF_KINDS:
            problem = f"{self.name!r} is not your own: use Backoff.{self.name}"
            raise BadInputError(f"{_FIELD}.name", problem)
        if self.delay is not None:
            delay = to_timedelta(to_ms(self.delay, f"{_FIELD}.delay"))
            object.__setattr__(self, "delay", delay)

    @classmethod
    def read(cls, stored: StoredBackoff) -> Self | None:
        """What somebody has stored; None when it is of no kind of their own."""
        try:
            delay_ms = min(max(stored.delay_ms, 0), LONGEST_MS)
            return cls(stored.kind, timedelta(milliseconds=delay_ms) if delay_ms else None)
        except BadInputError:
            return None

    def stored(self) -> dict[str, object]:
        """As the wire spells it."""
        delay = {} if self.delay is None else {"delay": to_ms(self.delay, f"{_FIELD}.delay")}
        return {"type": self.name, **delay}
