"""What limits hold for all workers of a queue together, and how much of them is used."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

LIMITS: Final = Script("toril.bullmq.operations", "inspect/limits")

_FOUND: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsInUse:
    """Limits are None where there are none, or none that a script could read."""

    concurrency: int | None
    rate_max: int | None
    rate_duration_ms: int | None
    active: int
    started: int
    ttl_ms: int
    """Until the period ends; 0 when none has begun, or when it has no end, which is as good."""

    @property
    def is_maxed(self) -> bool:
        """Whether as many jobs are active as may be."""
        return self.concurrency is not None and self.active >= self.concurrency

    def limited_for_ms(self, rate_max: int | None) -> int:
        """Until a job may start when so many may in a period; None takes the queue's own limit.

        A queue without a limit tells when the period ends that a worker's own limit has begun.
        """
        most = self.rate_max if rate_max is None else rate_max
        return self.ttl_ms if most is None or self.started >= most else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLimits:
    """Look at all of them at one moment."""

    repeat: ClassVar[Repeat] = Repeat.READS

    keys: QueueKeys

    def call(self) -> ScriptCall:
        keys = self.keys
        return ScriptCall(
            LIMITS,
            keys={
                "meta_key": keys.meta,
                "limiter_key": keys.limiter,
                "active_key": keys.active,
            },
            args={},
        )

    def decode(self, reply: Reply) -> LimitsInUse:
        match reply:
            case [
                int(status),
                concurrency,
                most,
                duration_ms,
                int(active),
                started,
                int(ttl_ms),
            ] if status == _FOUND:
                return LimitsInUse(
                    concurrency=_number(concurrency),
                    rate_max=_number(most),
                    rate_duration_ms=_number(duration_ms),
                    active=active,
                    started=_number(started) or 0,
                    ttl_ms=max(ttl_ms, 0),
                )
            case _:
                raise UnexpectedReplyError(LIMITS.name, reply)


def _number(raw: object) -> int | None:
    if not isinstance(raw, bytes):
        return None
    try:
        return int(raw)
    except ValueError:
        return None
