"""How many ready jobs there are of some priorities."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import msgspec

from toril.bullmq.operations.replies import numbers
from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

COUNT_PRIORITIES: Final = Script("toril.bullmq.operations", "inspect/count_priorities")

_COUNTED: Final = 1
_SPAN: Final = 2**32
"""Of the scores of one priority: jobs of the same are told apart by their arrival."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountPriorities:
    """Count the jobs of each; 0 is for those without a priority."""

    repeat: ClassVar[Repeat] = Repeat.READS

    keys: QueueKeys
    priorities: Sequence[int]

    def call(self) -> ScriptCall:
        keys = self.keys
        ranges = [_scores(priority) if priority else [] for priority in self.priorities]
        return ScriptCall(
            COUNT_PRIORITIES,
            keys={
                "wait_key": keys.wait,
                "paused_key": keys.paused,
                "prioritized_key": keys.prioritized,
            },
            args={"ranges": msgspec.msgpack.encode(ranges)},
        )

    def decode(self, reply: Reply) -> Mapping[int, int]:
        match reply:
            case [int(status), [*counts]] if status == _COUNTED and len(counts) == len(
                self.priorities
            ):
                read = numbers(COUNT_PRIORITIES, counts)
                return dict(zip(self.priorities, read, strict=True))
            case _:
                raise UnexpectedReplyError(COUNT_PRIORITIES.name, reply)


def _scores(priority: int) -> list[str]:
    return [str(priority * _SPAN), str((priority + 1) * _SPAN - 1)]
