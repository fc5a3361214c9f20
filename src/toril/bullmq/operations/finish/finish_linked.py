"""Store the ends of jobs that others hear of: parents, jobs with the same deduplication id."""

from collections.abc import Sequence
from typing import ClassVar, Final

import msgspec

from toril.bullmq.operations.claim.claim import ClaimTerms
from toril.bullmq.operations.finish.settlement import Finish, Verdict, verdicts_of
from toril.bullmq.operations.sender import FENCED, Fenced, Sender
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

FINISH_LINKED: Final = Script("toril.bullmq.operations", "finish/finish_linked")

_SETTLED: Final = 1


class FinishLinked(msgspec.Struct, frozen=True, kw_only=True):
    """Store these ends. `want` says whether a claim follows in the same exchange."""

    repeat: ClassVar[Repeat] = Repeat.COUNTS

    sender: Sender
    sequence: int
    finishes: Sequence[Finish]
    want: int
    terms: ClaimTerms
    clock_ms: int = 0

    def call(self) -> ScriptCall:
        claim = self.terms.pack(self.want, self.sender.token(self.sequence))
        return ScriptCall(
            FINISH_LINKED,
            keys={"fence_key": self.sender.fence_key},
            touches=self.terms.touches(self.sender.keys),
            args={
                "base": self.sender.keys.base,
                "sequence": self.sequence,
                "packed": msgspec.msgpack.encode(self.finishes) + claim,
                "clock_ms": self.clock_ms,
            },
        )

    def decode(self, reply: Reply) -> list[Verdict] | Fenced:
        if reply == FENCED:
            return Fenced()
        match reply:
            case [int(status), [*verdicts]] if status == _SETTLED:
                return verdicts_of(FINISH_LINKED, verdicts, len(self.finishes))
            case _:
                raise UnexpectedReplyError(FINISH_LINKED.name, reply)
