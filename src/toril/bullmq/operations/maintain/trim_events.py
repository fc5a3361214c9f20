"""Shorten the event stream."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

TRIM_EVENTS: Final = Script("toril.bullmq.operations", "maintain/trim_events")

_TRIMMED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TrimEvents:
    """Keep about the newest `max_length` entries; answers how many went."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: QueueKeys
    max_length: int

    def call(self) -> ScriptCall:
        keys = {"events_key": self.keys.events}
        return ScriptCall(TRIM_EVENTS, keys=keys, args={"max_length": self.max_length})

    def decode(self, reply: Reply) -> int:
        match reply:
            case [int(status), int(removed)] if status == _TRIMMED:
                return removed
            case _:
                raise UnexpectedReplyError(TRIM_EVENTS.name, reply)
