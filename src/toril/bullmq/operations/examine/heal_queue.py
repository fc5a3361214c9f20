"""Bring into order what there is one of per queue."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.operations.replies import texts
from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

HEAL_QUEUE: Final = Script("toril.bullmq.operations", "examine/heal_queue")

_HEALED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class HealQueue:
    """End what never ends, and bring jobs where workers look.

    `highest` is the highest number that is the id of a job.
    """

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN
    """The second time nothing is left to do."""

    keys: QueueKeys
    highest: int = 0

    def call(self) -> ScriptCall:
        return ScriptCall(
            HEAL_QUEUE,
            keys={"meta_key": self.keys.meta},
            touches=self.keys.touched,
            args={"base": self.keys.base, "highest": self.highest},
        )

    def decode(self, reply: Reply) -> Sequence[str]:
        match reply:
            case [int(status), [*deeds]] if status == _HEALED:
                return texts(HEAL_QUEUE, deeds)
            case _:
                raise UnexpectedReplyError(HEAL_QUEUE.name, reply)
