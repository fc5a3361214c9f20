"""From where to where the event stream reaches."""

from dataclasses import dataclass
from typing import ClassVar, Final, TypeAlias

from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

STREAM_EDGES: Final = Script("toril.bullmq.operations", "inspect/stream_edges")

_NONE: Final = 0
_FOUND: Final = 1

Edges: TypeAlias = tuple[str, str]
"""The ids of the first and of the last event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GetStreamEdges:
    """Answers None when there are no events."""

    repeat: ClassVar[Repeat] = Repeat.READS

    keys: QueueKeys

    def call(self) -> ScriptCall:
        return ScriptCall(STREAM_EDGES, keys={"events_key": self.keys.events}, args={})

    def decode(self, reply: Reply) -> Edges | None:
        match reply:
            case [int(status), bytes(first), bytes(last)] if status == _FOUND:
                return first.decode(), last.decode()
            case [int(status)] if status == _NONE:
                return None
            case _:
                raise UnexpectedReplyError(STREAM_EDGES.name, reply)
