"""Store the ends of jobs, many at a time, and take the next ones: what most exchanges are."""

from collections.abc import Sequence
from typing import ClassVar, Final, Literal

import msgspec

from toril.bullmq.operations.claim.claim import Brought, Claims, ClaimTerms, claims_of
from toril.bullmq.operations.finish.settlement import Finish, Verdict, verdicts_of
from toril.bullmq.operations.sender import FENCED, Fenced, Sender
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.reply_shape import shaped
from toril.core.script import Script

FINISH_JOBS: Final = Script("toril.bullmq.operations", "finish/finish_jobs")

CLAIMS_NOTHING: Final = -1

_pack: Final = msgspec.msgpack.Encoder().encode


class Finished(msgspec.Struct, frozen=True):
    """A verdict for each end, and what was taken after them."""

    verdicts: Sequence[Verdict]
    claims: Claims


class _Settled(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    status: Literal[1]
    verdicts: list[int]
    now_ms: int
    brought: Brought


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
        if reply == FENCED:
            return Fenced()
        settled = shaped(FINISH_JOBS, reply, _Settled)
        token, worker_name = self.sender.token(self.sequence), self.terms.worker_name
        return Finished(
            verdicts_of(FINISH_JOBS, settled.verdicts, len(self.finishes)),
            claims_of(FINISH_JOBS, settled.now_ms, settled.brought, token, worker_name),
        )
