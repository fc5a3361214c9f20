"""Note in the queue's settings that it exists and how long its event stream is kept."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

OPEN_QUEUE: Final = Script("toril.bullmq.operations", "maintain/open_queue")

_OPENED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQueue:
    """Write the settings down; `max_events` None leaves what others have decided."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: QueueKeys
    version: str
    max_events: int | None = None

    def call(self) -> ScriptCall:
        return ScriptCall(
            OPEN_QUEUE,
            keys={"meta_key": self.keys.meta},
            args={"max_events": self.max_events or 0, "version": self.version},
        )

    def decode(self, reply: Reply) -> None:
        if reply != [_OPENED]:
            raise UnexpectedReplyError(OPEN_QUEUE.name, reply)
