"""Ask which of a worker's jobs were cancelled."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.operations.replies import texts
from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

READ_CANCELLATIONS: Final = Script("toril.bullmq.operations", "maintain/read_cancellations")

_READ: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadCancellations:
    """The id and the token of each; the same ones again, until their runs are settled."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: QueueKeys
    worker: str

    def call(self) -> ScriptCall:
        return ScriptCall(
            READ_CANCELLATIONS,
            keys={"notes_key": self.keys.cancellations(self.worker)},
            args={"base": self.keys.base},
        )

    def decode(self, reply: Reply) -> Sequence[tuple[str, str]]:
        match reply:
            case [int(status), [*flat]] if status == _READ and len(flat) % 2 == 0:
                words = texts(READ_CANCELLATIONS, flat)
                return list(zip(words[::2], words[1::2], strict=True))
            case _:
                raise UnexpectedReplyError(READ_CANCELLATIONS.name, reply)
