"""The level in front of Redis, as the read path of a cache uses it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from toril.toolkit.cache.level import Level
from toril.toolkit.cache.view import MISSING, Maybe
from toril.toolkit.cache.wire import Envelope

V = TypeVar("V")

_LONG_MS: Final = 24 * 3_600 * 1_000
"""Generations have no time of their own; the level has its limit."""

_GENERATION_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class Held(Generic[V]):
    """A value that was found valid, and what it is valid under."""

    envelope: Envelope
    generations: Sequence[tuple[str, bytes]]
    """Key and generation, of the cache and of each tag."""

    value: Maybe[V] = MISSING
    """Where callers share it; otherwise each reads it from the envelope."""


class Front(Generic[V]):
    """Asks the level before the server is asked, and tells it what the server has said."""

    def __init__(self, level: Level) -> None:
        self._level: Final = level
        self.begin: Final = level.begin

    def look(self, value_key: str) -> Held[V] | None:
        """A value that is fresh and of the generations of now, as far as is known here."""
        held = self._level.get(value_key)
        if isinstance(held, Held) and self.agrees(held.generations):
            return held
        return None

    def agrees(self, generations: Sequence[tuple[str, bytes]]) -> bool:
        """Whether these are known to be the generations of now."""
        get = self._level.get
        return all(get(key) == generation for key, generation in generations)

    def keep(self, since: int, value_key: str, held: Held[V], fresh_ms: int) -> None:
        """Keep a value that the server has said, where nothing has overtaken it."""
        envelope = held.envelope
        size = len(envelope.payload) + len(envelope.packed_tags) + len(envelope.generations)
        self._level.keep(value_key, held, size=size, since=since, ttl_ms=fresh_ms)

    def keep_generations(self, since: int, keys: Sequence[str], found: Sequence[bytes]) -> None:
        """Keep generations that the server has said."""
        for key, generation in zip(keys, found, strict=True):
            self._level.keep(key, generation, size=_GENERATION_BYTES, since=since, ttl_ms=_LONG_MS)
