"""A value on its way into the cache."""

from dataclasses import dataclass

from toril.core.operation import Argument


@dataclass(frozen=True, slots=True, kw_only=True)
class NewValue:
    """What is stored, and how long it is fresh and kept."""

    codec: int
    payload: bytes
    ttl_us: int
    life_ms: int
    tags: bytes = b""
    generations: bytes = b""
    """Of the cache and of each tag, as they were before the value was made."""

    def args(self) -> dict[str, Argument]:
        """The arguments that every script which stores a value takes, by name."""
        return {
            "codec": self.codec,
            "payload": self.payload,
            "ttl_us": self.ttl_us,
            "life_ms": self.life_ms,
            "tags": self.tags,
            "generations": self.generations,
        }


NOTHING: dict[str, Argument] = dict.fromkeys(
    ("codec", "payload", "ttl_us", "life_ms", "tags", "generations"), ""
)
"""The arguments of a script that could store a value, and is not to."""
