"""Forget a run that did not end well."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.once.wire import RunKeys
from toril.toolkit.replies import truth

ABANDON: Final = Script("toril.toolkit.once.operations", "abandon")


@dataclass(frozen=True, slots=True, kw_only=True)
class Abandon:
    """Let somebody else begin, and not this owner for `bar_ms`; says whether it was its run."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: RunKeys
    owner: str
    bar_ms: int = 0

    def call(self) -> ScriptCall:
        return ScriptCall(
            ABANDON,
            keys={"run_key": self.keys.run, "barred_key": self.keys.barred},
            args={
                "owner": self.owner,
                "bar_ms": self.bar_ms,
                "channel": self.keys.channel,
                "is_sharded": int(self.keys.is_sharded),
            },
        )

    def decode(self, reply: Reply) -> bool:
        return truth(ABANDON, reply)
