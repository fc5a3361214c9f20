"""Store the ends of jobs, many at a time, and take the next ones: what most exchanges are."""

from collections.abc import Sequence
from typing import ClassVar, Final

import msgspec

from toril.bullmq.operations.claim.claim import Claims, ClaimTerms, claims_of
from toril.bullmq.operations.finish.settlement import Finish, Verdict, verdicts_of
from toril.bullmq.operations.sender import Fenced, Sender
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

FINISH_JOBS: Final = Script("toril.bullmq.operations", "finish/finish_jobs")

CLAIMS_NOTHING: Final = -1

_pack: Final = msgspec.msgpack.Encoder().encode

_FENCED: Final = 0
_SETTLED: Final = 1


class Finished(msgspec.Struct, frozen=True):
    """A verdict for each end, and what was taken after them."""

    verdicts: Sequence[Verdict]
    claims: Claims


class FinishJobs(msgspec.Struct, frozen=True, kw_only=True):
    """Store these ends, then take up to `want` jobs; see `Claim`, and `CLAIMS_NOTHING`."""

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
            FINISH_JOBS,
            keys={"fence_key": self.sender.fence_key},
            touches=self.terms.touches(self.sender.keys),
            args={
                "base": self.sender.keys.base,
                "sequence": self.sequence,
                "packed": _pack(self.finishes) + claim,
                "clock_ms": self.clock_ms,
            },
        )

    def decode(self, reply: Reply) -> Finished | Fenced:
        match reply:
            case [int(status), [*verdicts], int(now_ms), [*answer]] if status == _SETTLED:
                token = self.sender.token(self.sequence)
                return Finished(
                    verdicts_of(FINISH_JOBS, verdicts, len(self.finishes)),
                    claims_of(FINISH_JOBS, now_ms, answer, token, self.terms.worker_name),
                )
            case [int(status)] if status == _FENCED:
                return Fenced()
            case _:
                raise UnexpectedReplyError(FINISH_JOBS.name, reply)
