"""Make of a value what is stored, or say why it is not."""

from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from toril.core.chance import CHANCE
from toril.toolkit.cache.codec import Codec
from toril.toolkit.cache.operations.new_value import NewValue
from toril.toolkit.cache.options import CacheRules
from toril.toolkit.cache.wire import packed_tags

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Unfit:
    """A value that is used, and not stored."""

    reason: str


class NewValues(Generic[V]):
    """The rules of a cache about what it stores, and for how long."""

    def __init__(self, rules: CacheRules, codec: Codec[V]) -> None:
        self._rules: Final = rules
        self._codec: Final = codec

    def make(
        self, value: V, ttl_us: int | None, tags: tuple[str, ...], generations: bytes
    ) -> NewValue | Unfit:
        """The value, encoded.

        Raises:
            BadInputError: it cannot be.
        """
        rules = self._rules
        if value is None and not rules.cache_none:
            return Unfit("it is None")
        payload = self._codec.encode(value)
        if len(payload) > rules.max_value_bytes:
            return Unfit(f"{len(payload):,} bytes exceed the limit of {rules.max_value_bytes:,}")
        fresh_us = self._jittered(ttl_us or (rules.none_ttl_us if value is None else rules.ttl_us))
        return NewValue(
            codec=self._codec.mark,
            payload=payload,
            ttl_us=fresh_us,
            life_ms=-(-(fresh_us + rules.stale_us) // 1_000),
            tags=packed_tags(tags),
            generations=generations,
        )

    def _jittered(self, ttl_us: int) -> int:
        """What was stored together must not end together."""
        part = self._rules.ttl_jitter * CHANCE.uniform(-1, 1)
        return max(1_000, round(ttl_us * (1 + part)))
