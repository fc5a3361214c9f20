"""Keep how a run ended."""

from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeAlias

from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.once.wire import RunKeys
from toril.toolkit.replies import truth

FINISH: Final = Script("toril.toolkit.once.operations", "finish")

State: TypeAlias = Literal["done", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """Keep a result or an error; says whether the run was still the owner's."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: RunKeys
    owner: str
    state: State
    value: bytes
    keep_ms: int

    def call(self) -> ScriptCall:
        return ScriptCall(
            FINISH,
            keys={"run_key": self.keys.run},
            args={
                "owner": self.owner,
                "state": self.state,
                "value": self.value,
                "keep_ms": self.keep_ms,
                "channel": self.keys.channel,
                "is_sharded": int(self.keys.is_sharded),
            },
        )

    def decode(self, reply: Reply) -> bool:
        return truth(FINISH, reply)
