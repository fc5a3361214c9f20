"""Forget how a run ended, so that the key can be run again."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.once.wire import RunKeys
from toril.toolkit.replies import truth

FORGET: Final = Script("toril.toolkit.once.operations", "forget")


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """Forget the end of a run, not one that goes on; says whether something was kept.

    After a lost reply the second arrival finds nothing, or what has ended since.
    """

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: RunKeys

    def call(self) -> ScriptCall:
        return ScriptCall(FORGET, keys={"run_key": self.keys.run}, args={})

    def decode(self, reply: Reply) -> bool:
        return truth(FORGET, reply)
