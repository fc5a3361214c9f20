"""The smallest operations there are, one for each way of being repeated."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Argument, Command, Repeat, Reply, ScriptCall
from toril.core.script import Script

BUMP: Final = Script("tests.support.scripts", "bump")
BUMP_ONCE: Final = Script("tests.support.scripts", "bump_once")
LOOK: Final = Script("tests.support.scripts", "look")


@dataclass(frozen=True, slots=True)
class Bump:
    """Add to a counter; sent twice, it adds twice."""

    key: str
    by: Argument = 1

    repeat: ClassVar[Repeat] = Repeat.COUNTS

    def call(self) -> ScriptCall:
        return ScriptCall(BUMP, keys={"counter_key": self.key}, args={"by": self.by})

    def decode(self, reply: Reply, /) -> int:
        return _number(BUMP, reply)


@dataclass(frozen=True, slots=True)
class BumpOnce:
    """Add to a counter; sent twice with one token, it adds once."""

    key: str
    token: str

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    def call(self) -> ScriptCall:
        keys = {"counter_key": self.key}
        return ScriptCall(BUMP_ONCE, keys=keys, args={"by": 1, "token": self.token})

    def decode(self, reply: Reply, /) -> int:
        return _number(BUMP_ONCE, reply)


@dataclass(frozen=True, slots=True)
class Look:
    """Read a counter."""

    key: str

    repeat: ClassVar[Repeat] = Repeat.READS

    def call(self) -> ScriptCall:
        return ScriptCall(LOOK, keys={"counter_key": self.key}, args={})

    def decode(self, reply: Reply, /) -> int:
        return _number(LOOK, reply)


@dataclass(frozen=True, slots=True)
class Pop:
    """Wait for the least member of a sorted set."""

    key: str
    block_ms: int

    def command(self) -> Command:
        return Command(self.key, ("BZPOPMIN", self.key, self.block_ms / 1000))

    def decode(self, reply: Reply, /) -> bytes | None:
        match reply:
            case None:
                return None
            case [_, bytes(member), _]:
                return member
            case _:
                raise UnexpectedReplyError("BZPOPMIN", reply)


def _number(script: Script, reply: Reply) -> int:
    if not isinstance(reply, int):
        raise UnexpectedReplyError(script.name, reply)
    return reply
