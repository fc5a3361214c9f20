"""What becomes of a job after a run: the rules of a real queue, without the queue."""

from dataclasses import dataclass
from random import random

from toril.core.codec import decode, encode
from toril.core.durations import delay_until, to_ms
from toril.core.errors import BadInputError
from toril.core.outcome import Delay, Discard, GiveBack, RateLimited, Retry, Say, WaitForChildren
from toril.runtime.source import Effect, Ending, Raised, Returned, Said
from toril.testing.memory_job import MemoryJob


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the queue does with the job; `counts` tells whether the attempt does."""

    effect: Effect
    reason: str = ""
    delay_ms: int = 0
    result: object = None
    counts: bool = True


def judge(job: MemoryJob, ending: Ending, *, now_ms: int) -> Verdict:
    """Decide; what cannot be stored as a result, or understood as a time, fails the attempt."""
    try:
        match ending:
            case Returned(value):
                result = decode(encode(value, field="result"), field="result")
                return Verdict(Effect.COMPLETED, result=result)
            case Raised(error, final):
                return _failed(job, str(error) or type(error).__name__, final=final)
            case Said(what):
                return _said(job, what, now_ms)
    except BadInputError as error:
        return _failed(job, str(error), final=False)


def _said(job: MemoryJob, what: Say, now_ms: int) -> Verdict:
    match what:
        case GiveBack() | WaitForChildren():  # no job of this queue has children to wait for
            return Verdict(Effect.GIVEN_BACK, counts=False)
        case RateLimited(for_=for_):
            limit_ms = to_ms(for_, "for_", minimum=1)
            return Verdict(Effect.LIMITED, delay_ms=limit_ms, counts=False)
        case Delay(until=until):
            delay_ms = delay_until(until, "until", now_ms=now_ms)
            return Verdict(Effect.DELAYED, delay_ms=delay_ms, counts=False)
        case Retry():
            pause_ms = None if what.delay is None else to_ms(what.delay, "delay")
            return _failed(job, what.reason, final=False, delay_ms=pause_ms)
        case Discard(reason=reason):
            return _failed(job, reason, final=True)
        case _:
            return _failed(job, f"a memory queue does not know {type(what).__name__}", final=True)


def _failed(job: MemoryJob, reason: str, *, final: bool, delay_ms: int | None = None) -> Verdict:
    failed = job.attempts_made + 1
    if final or failed >= job.attempts:
        return Verdict(Effect.FAILED, reason=reason)
    if delay_ms is None:
        delay_ms = job.backoff.delay_ms(failed, random) if job.backoff else 0
    return Verdict(Effect.RETRIED, reason=reason, delay_ms=delay_ms)
