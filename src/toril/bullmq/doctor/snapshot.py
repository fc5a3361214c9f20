"""Keys of a queue as they were read: their types, times to live and contents."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias, cast

Pairs: TypeAlias = tuple[tuple[str, str], ...]
Content: TypeAlias = (
    str | list[str] | frozenset[str] | dict[str, str] | dict[str, float] | list[tuple[str, Pairs]]
)


@dataclass(frozen=True)
class Key:
    """One key as it was stored. `ttl_ms` is None for a key that does not expire."""

    kind: str
    content: Content
    ttl_ms: int | None = None

    def text(self) -> str:
        """The value of a string."""
        return self.content if isinstance(self.content, str) else ""

    def items(self) -> list[str]:
        """Members of a list, a set or a zset, the latter two sorted by Redis's own order."""
        if self.kind in ("list", "zset"):
            return [str(item) for item in self.content]
        return sorted(self.content) if isinstance(self.content, frozenset) else []

    def scores(self) -> dict[str, float]:
        """Members of a zset with their scores."""
        return cast("dict[str, float]", self.content) if self.kind == "zset" else {}

    def fields(self) -> dict[str, str]:
        """Fields of a hash."""
        return cast("dict[str, str]", self.content) if self.kind == "hash" else {}

    def entries(self) -> list[tuple[str, Pairs]]:
        """Entries of a stream: id, then its fields in the order they were written."""
        return cast("list[tuple[str, Pairs]]", self.content) if self.kind == "stream" else []


@dataclass(frozen=True)
class Snapshot:
    """What the server held, and what its clock said then."""

    now_ms: int
    keys: Mapping[str, Key] = field(default_factory=dict)

    def get(self, name: str) -> Key:
        """The key, or an empty one of no kind: absent and empty are the same thing in Redis."""
        return self.keys.get(name, ABSENT)


ABSENT: Final = Key("none", "")
