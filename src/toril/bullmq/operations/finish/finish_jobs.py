"""Store the ends of jobs, many at a time: the first part of an exchange."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import msgspec

from toril.bullmq.operations.finish.settlement import Finish, Verdict, verdicts_of
from toril.bullmq.operations.sender import Fenced, Sender
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

FINISH_JOBS: Final = Script("toril.bullmq.operations", "finish/finish_jobs")

_FENCED: Final = 0
_SETTLED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishJobs:
    """Store these ends. `fetches_next` says that a claim follows in the same exchange."""

    repeat: ClassVar[Repeat] = Repeat.COUNTS

    sender: Sender
    sequence: int
    finishes: Sequence[Finish]
    fetches_next: bool
    clock_ms: int = 0

    def call(self) -> ScriptCall:
        return ScriptCall(
            FINISH_JOBS,
            keys={"fence_key": self.sender.fence_key},
            touches=self.sender.keys.touched,
            args={
                "base": self.sender.keys.base,
                "sequence": self.sequence,
                "fetches_next": int(self.fetches_next),
                "packed": msgspec.msgpack.encode(self.finishes),
                "clock_ms": self.clock_ms,
            },
        )

    def decode(self, reply: Reply) -> list[Verdict] | Fenced:
        match reply:
            case [int(status), [*verdicts]] if status == _SETTLED:
                return verdicts_of(FINISH_JOBS, verdicts, len(self.finishes))
            case [int(status)] if status == _FENCED:
                return Fenced()
            case _:
                raise UnexpectedReplyError(FINISH_JOBS.name, reply)
