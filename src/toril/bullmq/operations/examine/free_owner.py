"""Free a deduplication id that nothing else would free."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.operations.replies import texts
from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

FREE_OWNER: Final = Script("toril.bullmq.operations", "examine/free_owner")

_HEALED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeOwner:
    """Let the next job with this id in, if the one that keeps it out is gone or has ended."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN
    """The second time nothing is left to do."""

    keys: QueueKeys
    deduplication_id: str

    def call(self) -> ScriptCall:
        return ScriptCall(
            FREE_OWNER,
            keys={"owner_key": self.keys.deduplication(self.deduplication_id)},
            touches=self.keys.touched,
            args={"base": self.keys.base},
        )

    def decode(self, reply: Reply) -> Sequence[str]:
        match reply:
            case [int(status), [*deeds]] if status == _HEALED:
                return texts(FREE_OWNER, deeds)
            case _:
                raise UnexpectedReplyError(FREE_OWNER.name, reply)
