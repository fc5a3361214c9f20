"""The level in front of Redis, as the read path of a cache uses it."""

from collections.abc import Sequence
from itertools import chain, repeat
from typing import Final

from toril.core.errors import UndecodableError
from toril.toolkit.cache.level import Level
from toril.toolkit.cache.wire import CacheKeys, Envelope

_LONG_MS: Final = 24 * 3_600 * 1_000
"""Generations have no time of their own; the level has its limit."""


class Question:
    """A question to the server under way: what the level had noticed when it was asked."""

    __slots__ = ("_begun", "_level")

    def __init__(self, level: Level, names: Sequence[str]) -> None:
        self._level: Final = level
        self._begun: Final = [(name, level.begin(name)) for name in names]

    def answered(self, raw: bytes, generations: Sequence[bytes], fresh_ms: int) -> None:
        """Keep the value, unless it is empty, and the generations; none where nothing came."""
        lives = chain((fresh_ms,), repeat(_LONG_MS))
        answers = chain((raw,), generations, repeat(b""))
        for (name, epoch), stored, life_ms in zip(self._begun, answers, lives, strict=False):
            self._level.store(name, epoch, stored, life_ms)


class Front:
    """Asks the level before the server is asked, and tells it what the server has said."""

    def __init__(self, level: Level, keys: CacheKeys) -> None:
        self._level: Final = level
        self._keys: Final = keys

    def look(self, value_key: str) -> Envelope | None:
        """A value that is fresh and of the generations of now, as far as is known here."""
        raw = self._level.get(value_key)
        envelope = Envelope.read(raw) if raw else None
        if envelope is None:
            return None
        try:
            tags: list[str | None] = [None, *envelope.tags]
        except UndecodableError:
            return None
        known = [self._level.get(self._keys.generation(tag)) or b"" for tag in tags]
        return envelope if envelope.generations == b" ".join(known) else None

    def ask(self, value_key: str, generation_keys: Sequence[str]) -> Question:
        """Before the server is asked for these."""
        return Question(self._level, (value_key, *generation_keys))
