"""Give a sign of life from a run."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.once.wire import RunKeys
from toril.toolkit.replies import truth

RENEW: Final = Script("toril.toolkit.once.operations", "renew")


@dataclass(frozen=True, slots=True, kw_only=True)
class Renew:
    """Let the lease of a run begin anew; says whether the run is still the owner's."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: RunKeys
    owner: str
    lease_ms: int

    def call(self) -> ScriptCall:
        return ScriptCall(
            RENEW,
            keys={"run_key": self.keys.run},
            args={"owner": self.owner, "lease_ms": self.lease_ms},
        )

    def decode(self, reply: Reply) -> bool:
        return truth(RENEW, reply)
