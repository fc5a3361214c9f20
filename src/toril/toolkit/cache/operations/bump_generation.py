"""Begin a new generation of a tag or of a cache: all that was stored before is invalid."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

BUMP_GENERATION: Final = Script("toril.toolkit.cache.operations", "bump_generation")

_BUMPED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class BumpGeneration:
    """Begin a new generation. A second arrival invalidates what was stored between the two."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    generation_key: str
    keep_ms: int

    @property
    def changes(self) -> tuple[str, ...]:
        return (self.generation_key,)

    def call(self) -> ScriptCall:
        return ScriptCall(
            BUMP_GENERATION,
            keys={"generation_key": self.generation_key},
            args={"keep_ms": self.keep_ms},
        )

    def decode(self, reply: Reply) -> None:
        if reply != [_BUMPED]:
            raise UnexpectedReplyError(BUMP_GENERATION.name, reply)
