"""How many jobs are in every state, at one moment."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.operations.replies import numbers
from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

COUNTS: Final = Script("toril.bullmq.operations", "inspect/counts")

_COUNTED: Final = 1
_STATES: Final = 8


@dataclass(frozen=True, slots=True)
class Counts:
    """Jobs by state. A job that waits is in one of waiting, paused and prioritized."""

    waiting: int
    paused: int
    active: int
    prioritized: int
    delayed: int
    waiting_children: int
    completed: int
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CountJobs:
    """Count every state."""

    repeat: ClassVar[Repeat] = Repeat.READS

    keys: QueueKeys

    def call(self) -> ScriptCall:
        keys = self.keys
        return ScriptCall(
            COUNTS,
            keys={"wait_key": keys.wait},
            args={"base": keys.base},
            touches=(*keys.states, keys.waiting_children),
        )

    def decode(self, reply: Reply) -> Counts:
        match reply:
            case [int(status), *counts] if status == _COUNTED and len(counts) == _STATES:
                return Counts(*numbers(COUNTS, counts))
            case _:
                raise UnexpectedReplyError(COUNTS.name, reply)
