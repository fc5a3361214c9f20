"""Which jobs are the same, as the caller says it."""

from dataclasses import KW_ONLY, dataclass

from toril.bullmq.wire.options import DeduplicationRule
from toril.core.durations import Duration, to_ms
from toril.core.errors import BadInputError
from toril.core.ids import check_deduplication_id


@dataclass(frozen=True, slots=True)
class Deduplication:
    """A second job with the same `id` is not added while the first owns the id.

    By itself that is until the first job has ended. `ttl` ends it by the clock instead: not
    before, and not later. `extend` starts the time again with every job that is not added.
    `replace` puts the newer job in the place of one that is delayed. `keep_last_if_active` keeps
    the last job that comes while the first runs, and adds it when that has ended.

    Raises:
        BadInputError: names the part, and what it may be.
    """

    id: str
    _: KW_ONLY
    ttl: Duration | None = None
    extend: bool = False
    replace: bool = False
    keep_last_if_active: bool = False

    def __post_init__(self) -> None:
        self.rule()

    def rule(self) -> DeduplicationRule:
        """As scripts need it."""
        field = "deduplication"
        for name in ("extend", "replace", "keep_last_if_active"):
            if not isinstance(getattr(self, name), bool):
                raise BadInputError(f"{field}.{name}", "is neither True nor False")
        if self.extend and self.ttl is None:
            raise BadInputError(f"{field}.extend", "has no ttl to begin again")
        if self.keep_last_if_active and self.ttl is not None:
            raise BadInputError(
                f"{field}.ttl", "does not go with keep_last_if_active, which lasts until a job ends"
            )
        return DeduplicationRule(
            id=check_deduplication_id(self.id),
            ttl_ms=0 if self.ttl is None else to_ms(self.ttl, f"{field}.ttl", minimum=1),
            extend=self.extend,
            replace=self.replace,
            keep_last=self.keep_last_if_active,
        )
