"""Which finished jobs stay, as the caller says it."""

from dataclasses import dataclass
from typing import Final

from toril.bullmq.wire.options import KeepRule
from toril.core.checks import check_whole
from toril.core.durations import Duration, to_ms

MOST_KEPT: Final = 2**53 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """Which finished jobs stay: the newest `count`, none older than `age`."""

    count: int | None = None
    age: Duration | None = None

    def rule(self, field: str) -> KeepRule:
        """As it is stored; the wire counts age in whole seconds."""
        if self.count is not None:
            check_whole(self.count, f"{field}.count", 0, MOST_KEPT)
        age_ms = None if self.age is None else to_ms(self.age, f"{field}.age")
        return KeepRule(
            count=-1 if self.count is None else self.count,
            age_s=-1 if age_ms is None else -(-age_ms // 1_000),
        )
