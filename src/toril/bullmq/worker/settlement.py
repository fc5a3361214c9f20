"""Decide what is stored of a run: pure, from the job, its ending and the worker's policy."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, assert_never

import msgspec

from toril.bullmq.operations.finish.settlement import Finish, Return, Settlement, Verdict, Wait
from toril.bullmq.wire.job import FAILED_REASON, STACK_TRACE, JobRecord
from toril.bullmq.wire.options import KeepRule, StoredBackoff
from toril.bullmq.worker.failure import reason_of, trace_of, with_trace
from toril.bullmq.worker.retry_policy import Failure, any_failure, custom_pause_ms
from toril.core.backoff import BACKOFF_KINDS, DEFAULT_CAP_MS, Backoff, Random
from toril.core.chance import CHANCE
from toril.core.codec import check_size, encode
from toril.core.durations import delay_until, to_ms
from toril.core.errors import (
    BadInputError,
    ChildFailedError,
    ChildrenPendingError,
    PermanentError,
)
from toril.core.outcome import Delay, Discard, GiveBack, RateLimited, Retry, Say, WaitForChildren
from toril.runtime.source import (
    Claimed,
    Effect,
    Lease,
    Outcome,
    Raised,
    Returned,
    Said,
    Settled,
)

_LOG: Final = logging.getLogger("toril.bullmq.worker")

_KEEP_ALL: Final = KeepRule()
_UNKNOWN_BACKOFF: Final = Backoff.fixed(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a worker decides for the jobs it runs, over or after what they ask for themselves."""

    max_attempts: int | None = None
    """Instead of the job's own number of attempts."""

    backoff: Backoff | None = None
    """Instead of the job's own backoff."""

    backoff_strategy: Callable[[Failure], object] | None = None
    """For jobs with a backoff of their own kind."""

    may_retry: Callable[[Failure], bool] = any_failure
    """Whether a failure is worth another attempt, while the job has any."""

    backoff_cap_ms: int = DEFAULT_CAP_MS
    """No pause between attempts is longer."""

    keep_completed: KeepRule = _KEEP_ALL
    """For jobs that do not say."""

    keep_failed: KeepRule = _KEEP_ALL
    """For jobs that do not say."""

    random: Random = CHANCE.random


DEFAULT_POLICY: Final = Policy()


class Decision(msgspec.Struct, frozen=True):
    """What to store, and what will have happened once it is stored."""

    settlement: Settlement
    settled: Settled
    claimed: Claimed[JobRecord] | None = None
    """The job, where the queue may yet find that this cannot be stored."""


def decide(outcome: Outcome[JobRecord], policy: Policy, now_ms: int) -> Decision:
    """What becomes of a job whose run ended like this."""
    claimed = outcome.claimed
    match outcome.ending:
        case Returned(value):
            return _completed(claimed, value, policy)
        case Raised(error, final):
            return _after_failure(claimed, error, policy, final=final)
        case Said(what):
            return _as_said(claimed, what, policy, now_ms)
        case _ as never:
            assert_never(never)


def revise(decision: Decision, verdict: Verdict, policy: Policy) -> Decision | None:
    """What to store instead, when the queue knows of relatives that the worker did not; or None."""
    settlement, claimed = decision.settlement, decision.claimed
    if verdict is Verdict.LINKED and isinstance(settlement, Finish):
        linked = msgspec.structs.replace(settlement, is_linked=True)
        return msgspec.structs.replace(decision, settlement=linked)
    if claimed is None:
        return None
    if verdict is Verdict.NO_CHILDREN:
        return give_back(claimed.lease)
    if verdict is Verdict.PENDING_CHILDREN:
        return _after_failure(claimed, ChildrenPendingError(claimed.job.id), policy)
    if verdict is Verdict.FAILED_CHILDREN:
        return _failed(claimed, ChildFailedError(claimed.job.id), policy)
    return None


def give_back(lease: Lease) -> Decision:
    """Back to the queue, as if it had not been taken."""
    return Decision(
        Return(id=lease.job_id, token=lease.token, kind="give_back", counts=False),
        Settled(lease.job_id, Effect.GIVEN_BACK),
    )


def _completed(claimed: Claimed[JobRecord], value: object, policy: Policy) -> Decision:
    try:
        text = encode(value, field="result")
        check_size(len(text), field="result")
    except Exception as error:  # noqa: BLE001 - code of the result's own may run here, and raise
        # The work was done: doing it again would not make its result storable.
        return _failed(claimed, error, policy)
    lease, options = claimed.lease, claimed.job.options
    settlement = Finish(
        id=lease.job_id,
        token=lease.token,
        kind="completed",
        text=text.decode(),
        keep=options.on_complete or policy.keep_completed,
        is_linked=_is_linked(claimed.job),
    )
    return Decision(settlement, Settled(lease.job_id, Effect.COMPLETED), claimed)


def _as_said(claimed: Claimed[JobRecord], what: Say, policy: Policy, now_ms: int) -> Decision:
    try:
        match what:
            case Retry():
                delay_ms = None if what.delay is None else to_ms(what.delay, "delay")
                return _after_failure(claimed, what, policy, delay_ms=delay_ms)
            case Discard():
                return _failed(claimed, what, policy)
            case _:
                return _not_counted(claimed, what, policy, now_ms)
    except BadInputError as error:
        return _failed(claimed, error, policy)


def _not_counted(claimed: Claimed[JobRecord], what: Say, policy: Policy, now_ms: int) -> Decision:
    """The run ended, and the attempt with it did not."""
    match what:
        case GiveBack():
            return give_back(claimed.lease)
        case WaitForChildren():
            lease = claimed.lease
            wait = Wait(id=lease.job_id, token=lease.token)
            return Decision(wait, Settled(lease.job_id, Effect.WAITS), claimed)
        case RateLimited():
            return _limited(claimed.lease, to_ms(what.for_, "for_", minimum=1))
        case Delay():
            return _put_off(claimed, delay_until(what.until, "until", now_ms=now_ms))
        case _:
            return _failed(claimed, BadInputError("outcome", f"unknown: {what!r}"), policy)


def _limited(lease: Lease, limit_ms: int) -> Decision:
    settlement = Return(
        id=lease.job_id, token=lease.token, kind="give_back", counts=False, limit_ms=limit_ms
    )
    return Decision(settlement, Settled(lease.job_id, Effect.LIMITED, delay_ms=limit_ms))


def _after_failure(
    claimed: Claimed[JobRecord],
    error: BaseException,
    policy: Policy,
    *,
    final: bool = False,
    delay_ms: int | None = None,
) -> Decision:
    failure = Failure(claimed.job, error)
    if final or failure.attempts >= _attempts(claimed.job, policy) or _is_final(failure, policy):
        return _failed(claimed, error, policy)
    if delay_ms is None:
        delay_ms = _pause_ms(failure, policy)
    return _retried(claimed, error, delay_ms)


def _is_final(failure: Failure, policy: Policy) -> bool:
    """Whether no other attempt is wanted, whoever says so: the error itself, or the policy."""
    if isinstance(failure.error, PermanentError | Retry):
        return isinstance(failure.error, PermanentError)
    return not policy.may_retry(failure)


def _retried(claimed: Claimed[JobRecord], error: BaseException, delay_ms: int) -> Decision:
    lease = claimed.lease
    settlement = Return(
        id=lease.job_id,
        token=lease.token,
        kind="delay" if delay_ms else "retry",
        fields=_failure_fields(claimed.job, error),
        delay_ms=delay_ms,
        lifo=claimed.job.options.lifo,
    )
    reason = reason_of(error)
    return Decision(settlement, Settled(lease.job_id, Effect.RETRIED, reason, delay_ms))


def _put_off(claimed: Claimed[JobRecord], delay_ms: int) -> Decision:
    lease = claimed.lease
    settlement = Return(
        id=lease.job_id, token=lease.token, kind="delay", delay_ms=delay_ms, counts=False
    )
    return Decision(settlement, Settled(lease.job_id, Effect.DELAYED, delay_ms=delay_ms))


def _failed(claimed: Claimed[JobRecord], error: BaseException, policy: Policy) -> Decision:
    lease, job = claimed.lease, claimed.job
    reason, keep = reason_of(error), job.options.on_fail or policy.keep_failed
    settlement = Finish(
        id=lease.job_id,
        token=lease.token,
        kind="failed",
        fields=_failure_fields(job, error),
        text=reason,
        keep=keep,
        attempts=_attempts(job, policy),
        # A failed job that goes for this one may be a child that its parent waits for.
        is_linked=_is_linked(job) or keep.count > 0 or keep.age_s >= 0,
    )
    return Decision(settlement, Settled(lease.job_id, Effect.FAILED, reason))


def _is_linked(job: JobRecord) -> bool:
    return job.deduplication_id is not None or job.parent_key is not None


def _failure_fields(job: JobRecord, error: BaseException) -> tuple[str, ...]:
    trace = with_trace(job.stack_trace, trace_of(error), job.options.stack_trace_limit)
    return (
        FAILED_REASON,
        reason_of(error),
        STACK_TRACE,
        encode(trace, field="stacktrace").decode(),
    )


def _attempts(job: JobRecord, policy: Policy) -> int:
    return job.options.attempts if policy.max_attempts is None else policy.max_attempts


def _pause_ms(failure: Failure, policy: Policy) -> int:
    asked = failure.job.options.backoff
    if policy.backoff is None and asked is not None and asked.kind not in BACKOFF_KINDS:
        cap_ms = policy.backoff_cap_ms
        return custom_pause_ms(failure, policy.backoff_strategy, most_ms=cap_ms)
    backoff = policy.backoff or _stored(asked, failure.job)
    if backoff is None:
        return 0
    return backoff.delay_ms(failure.attempts, policy.random, max_ms=policy.backoff_cap_ms)


def _stored(stored: StoredBackoff | None, job: JobRecord) -> Backoff | None:
    if stored is None:
        return None
    try:
        return Backoff(kind=stored.kind, base_ms=stored.delay_ms, jitter=stored.jitter)  # type: ignore[arg-type]
    except BadInputError as error:
        _LOG.warning("job %s: %s; waiting 1 s", job.id, error)
        return _UNKNOWN_BACKOFF
