"""Read the generation of a tag or of a cache, where it does not lie beside the entry."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

READ_GENERATION: Final = Script("toril.toolkit.cache.operations", "read_generation")

_READ: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadGeneration:
    """Read one generation; a missing one begins."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    generation_key: str
    keep_ms: int
    begins_us: int = 0
    """What a missing one begins with: when the loader began that has just named the tag."""

    def call(self) -> ScriptCall:
        return ScriptCall(
            READ_GENERATION,
            keys={"generation_key": self.generation_key},
            args={"keep_ms": self.keep_ms, "begins_us": self.begins_us},
        )

    def decode(self, reply: Reply) -> bytes:
        match reply:
            case [int(state), bytes(generation)] if state == _READ:
                return generation
            case _:
                raise UnexpectedReplyError(READ_GENERATION.name, reply)
