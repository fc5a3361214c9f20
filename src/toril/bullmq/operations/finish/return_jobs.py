"""Return jobs to the queue, many at a time: the second part of an exchange."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import msgspec

from toril.bullmq.operations.finish.settlement import Return, Verdict, verdicts_of
from toril.bullmq.operations.sender import FENCED, Fenced, Sender
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

RETURN_JOBS: Final = Script("toril.bullmq.operations", "finish/return_jobs")

_SETTLED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnJobs:
    """Have these jobs run again."""

    repeat: ClassVar[Repeat] = Repeat.COUNTS

    sender: Sender
    sequence: int
    returns: Sequence[Return]
    clock_ms: int = 0

    def call(self) -> ScriptCall:
        return ScriptCall(
            RETURN_JOBS,
            keys={"fence_key": self.sender.fence_key},
            touches=self.sender.keys.touched,
            args={
                "base": self.sender.keys.base,
                "sequence": self.sequence,
                "packed": msgspec.msgpack.encode(self.returns),
                "clock_ms": self.clock_ms,
            },
        )

    def decode(self, reply: Reply) -> list[Verdict] | Fenced:
        if reply == FENCED:
            return Fenced()
        match reply:
            case [int(status), [*verdicts]] if status == _SETTLED:
                return verdicts_of(RETURN_JOBS, verdicts, len(self.returns))
            case _:
                raise UnexpectedReplyError(RETURN_JOBS.name, reply)
