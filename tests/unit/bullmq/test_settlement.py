"""What is stored of a run: decided from the job, its ending and the worker's policy alone."""

import json
import logging
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from toril.bullmq.operations.finish.settlement import Finish, Return, Verdict, Wait
from toril.bullmq.wire.job import JobRecord
from toril.bullmq.wire.options import KeepRule, StoredBackoff, StoredOptions, read_options
from toril.bullmq.worker.settlement import (
    DEFAULT_POLICY,
    Decision,
    Policy,
    decide,
    give_back,
    revise,
)
from toril.core.backoff import Backoff
from toril.core.errors import PermanentError, TransientError
from toril.core.outcome import Delay, Discard, GiveBack, Retry, Say, WaitForChildren
from toril.runtime.source import (
    Claimed,
    Effect,
    Ending,
    Lease,
    Outcome,
    Raised,
    Returned,
    Said,
    Settled,
)

LEASE = Lease("7", "token")
NOW_MS = 1_700_000_000_000
OOPS = ValueError("oops")
FIXED = StoredBackoff("fixed", 500)
EXPONENTIAL = StoredBackoff("exponential", 1_000)


class Unheard(Say):
    """Something to say that toril does not know."""


class Treacherous(msgspec.Struct):
    """A result whose own code raises when it is written down."""

    def __getattribute__(self, name: str) -> object:
        if name == "field":
            raise RuntimeError("a field that cannot be read")
        return super().__getattribute__(name)

    field: int = 1


def outcome(ending: Ending, *, made: int = 0, **options: object) -> Outcome[JobRecord]:
    stored = StoredOptions(**options)  # type: ignore[arg-type]
    job = JobRecord(id="7", name="n", data=None, options=stored, attempts_made=made)
    return Outcome(Claimed(LEASE, job), ending)


def decided(
    ending: Ending, *, policy: Policy = DEFAULT_POLICY, made: int = 0, **options: object
) -> Decision:
    return decide(outcome(ending, made=made, **options), policy, NOW_MS)


def finish(decision: Decision) -> Finish:
    assert isinstance(decision.settlement, Finish)
    return decision.settlement


def returned(decision: Decision) -> Return:
    assert isinstance(decision.settlement, Return)
    return decision.settlement


def relative(**fields: str) -> Claimed[JobRecord]:
    stored = StoredOptions(attempts=2)
    return Claimed(LEASE, JobRecord(id="7", name="n", data=None, options=stored, **fields))  # type: ignore[arg-type]


def stored_fields(decision: Decision) -> dict[str, str]:
    flat = decision.settlement.fields
    return dict(zip(flat[::2], flat[1::2], strict=True))


@pytest.mark.parametrize(
    ("value", "text"), [(None, "null"), ({"sent": True}, '{"sent":true}'), ((1, "ü"), '[1,"ü"]')]
)
def test_a_result_completes_the_job(value: object, text: str) -> None:
    decision = decided(Returned(value))

    assert finish(decision) == Finish(id="7", token="token", kind="completed", text=text)  # noqa: S106
    assert decision.settled == Settled("7", Effect.COMPLETED)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (object(), "result: is of type object"),
        ({"at": [float("nan")]}, "result.at[0]: is nan"),
        ("\ud800", "lone surrogate"),
        (2**53, "beyond 2^53-1"),
        ("x" * (11 * 2**20), "result: 11 MiB exceeds the limit of 10 MiB"),
        (Treacherous(), "a field that cannot be read"),
    ],
)
def test_a_result_that_cannot_be_stored_fails_the_job_with_attempts_to_spare(
    value: object, reason: str
) -> None:
    decision = decided(Returned(value), attempts=5)

    assert finish(decision).kind == "failed"
    assert reason in finish(decision).text
    assert decision.settled.effect is Effect.FAILED


@pytest.mark.parametrize(
    ("attempts", "made", "most", "effect"),
    [
        (0, 0, None, Effect.FAILED),
        (1, 0, None, Effect.FAILED),
        (2, 0, None, Effect.RETRIED),
        (2, 1, None, Effect.FAILED),
        (2, 9, None, Effect.FAILED),
        (1, 0, 3, Effect.RETRIED),
        (9, 2, 3, Effect.FAILED),
        (9, 0, 1, Effect.FAILED),
    ],
)
@pytest.mark.parametrize("ending", [Raised(OOPS), Said(Retry("oops")), Raised(TransientError("t"))])
def test_an_attempt_that_failed_is_repeated_while_there_are_any(
    ending: Ending, attempts: int, made: int, most: int | None, effect: Effect
) -> None:
    policy = Policy(max_attempts=most)

    assert decided(ending, attempts=attempts, made=made, policy=policy).settled.effect is effect


@pytest.mark.parametrize(
    "ending",
    [
        Raised(PermanentError("never")),
        Raised(OOPS, final=True),
        Said(Discard("unwanted")),
        Said(Unheard()),
        Said(Retry(delay="soon")),  # type: ignore[arg-type]
        Said(Retry(delay=-1)),
        Said(Delay(until=datetime(2030, 1, 1))),  # noqa: DTZ001
        Said(Delay(until=None)),  # type: ignore[arg-type]
        Said(Delay(until=float("inf"))),
    ],
    ids=repr,
)
def test_some_endings_are_final_whatever_attempts_are_left(ending: Ending) -> None:
    decision = decided(ending, attempts=9)

    assert finish(decision).kind == "failed"
    assert finish(decision).attempts == 9
    assert decision.settled.reason


@pytest.mark.parametrize(
    ("backoff", "made", "policy", "pause_ms"),
    [
        pytest.param(None, 0, Policy(), 0, id="none"),
        pytest.param(FIXED, 0, Policy(), 500, id="fixed"),
        pytest.param(FIXED, 6, Policy(), 500, id="fixed, later"),
        pytest.param(EXPONENTIAL, 0, Policy(), 1_000, id="exponential"),
        pytest.param(EXPONENTIAL, 3, Policy(), 8_000, id="doubled thrice"),
        pytest.param(EXPONENTIAL, 60, Policy(), 3_600_000, id="an hour at most"),
        pytest.param(EXPONENTIAL, 60, Policy(backoff_cap_ms=7), 7, id="or less"),
        pytest.param(FIXED, 0, Policy(backoff_cap_ms=7), 7, id="of a fixed pause, too"),
        pytest.param(FIXED, 0, Policy(backoff=Backoff.fixed(9)), 9_000, id="the worker's"),
        pytest.param(None, 0, Policy(backoff=Backoff.fixed(9)), 9_000, id="the worker's alone"),
        pytest.param(StoredBackoff("custom", 5), 0, Policy(), 1_000, id="of an unknown kind"),
        pytest.param(StoredBackoff("fixed", -5), 0, Policy(), 1_000, id="negative"),
        pytest.param(
            StoredBackoff("fixed", 1_000, jitter=1),
            0,
            Policy(random=lambda: 0.25),
            250,
            id="left to chance",
        ),
        pytest.param(
            StoredBackoff("fixed", 1_000, jitter=0.5),
            0,
            Policy(random=lambda: 0.0),
            500,
            id="half left to chance",
        ),
    ],
)
def test_the_pause_before_the_next_attempt(
    backoff: StoredBackoff | None, made: int, policy: Policy, pause_ms: int
) -> None:
    decision = decided(Raised(OOPS), attempts=100, made=made, policy=policy, backoff=backoff)

    assert returned(decision).delay_ms == decision.settled.delay_ms == pause_ms
    assert returned(decision).kind == ("delay" if pause_ms else "retry")
    assert returned(decision).counts


def test_an_unknown_backoff_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "toril.bullmq.worker"):
        decided(Raised(OOPS), attempts=2, backoff=StoredBackoff("fibonacci", 5))

    assert "job 7" in caplog.text
    assert "fibonacci" in caplog.text


@pytest.mark.parametrize(
    ("delay", "pause_ms"), [(None, 500), (0, 0), (2.5, 2_500), (timedelta(minutes=1), 60_000)]
)
def test_a_retry_may_name_its_pause(delay: float | timedelta | None, pause_ms: int) -> None:
    decision = decided(Said(Retry("again", delay=delay)), attempts=2, backoff=FIXED)

    assert returned(decision).delay_ms == pause_ms
    assert stored_fields(decision)["failedReason"] == "again"


@pytest.mark.parametrize(
    ("until", "delay_ms"),
    [
        (0, 0),
        (0.0001, 1),
        (90, 90_000),
        (timedelta(hours=1), 3_600_000),
        (datetime.fromtimestamp(NOW_MS / 1_000 + 5, UTC), 5_000),
        (datetime(2001, 1, 1, tzinfo=UTC), 0),
    ],
)
def test_a_delay_counts_no_attempt(until: datetime | timedelta | float, delay_ms: int) -> None:
    decision = decided(Said(Delay(until=until)), attempts=1)

    assert returned(decision) == Return(
        id="7",
        token="token",  # noqa: S106
        kind="delay",
        delay_ms=delay_ms,
        counts=False,
    )
    assert decision.settled == Settled("7", Effect.DELAYED, delay_ms=delay_ms)


def test_a_job_given_back_counts_no_attempt_and_has_not_failed() -> None:
    decision = decided(Said(GiveBack()))

    assert decision == give_back(LEASE)
    assert returned(decision) == Return(
        id="7",
        token="token",  # noqa: S106
        kind="give_back",
        counts=False,
    )


@pytest.mark.parametrize(
    ("own", "workers", "kept"),
    [
        (None, KeepRule(), KeepRule()),
        (None, KeepRule(count=5), KeepRule(count=5)),
        (KeepRule(), KeepRule(count=5), KeepRule()),
        (KeepRule(count=0), KeepRule(count=5), KeepRule(count=0)),
    ],
)
def test_what_the_job_says_of_its_removal_goes_before_what_the_worker_says(
    own: KeepRule | None, workers: KeepRule, kept: KeepRule
) -> None:
    policy = Policy(keep_completed=workers, keep_failed=workers)

    completed = decided(Returned(1), policy=policy, on_complete=own, on_fail=KeepRule(count=77))
    failed = decided(Raised(OOPS), policy=policy, on_fail=own, on_complete=KeepRule(count=77))

    assert finish(completed).keep == finish(failed).keep == kept


def test_a_retry_goes_to_the_head_of_the_line_when_the_job_was_added_there() -> None:
    assert returned(decided(Raised(OOPS), attempts=2, lifo=True)).lifo


@pytest.mark.parametrize("attempts", [1, 2], ids=["failed", "retried"])
def test_reason_and_trace_are_stored_of_every_failed_attempt(attempts: int) -> None:
    fields = stored_fields(decided(Raised(OOPS), attempts=attempts))

    [trace] = json.loads(fields["stacktrace"])
    assert fields["failedReason"] == "oops"
    assert trace.endswith("ValueError: oops\n")


@pytest.mark.parametrize(("limit", "kept"), [(None, 3), (2, 2), (1, 1), (0, 0), (9, 3)])
def test_the_newest_traces_are_kept(limit: int | None, kept: int) -> None:
    job = JobRecord(
        id="7",
        name="n",
        data=None,
        options=StoredOptions(stack_trace_limit=limit),
        stack_trace=("first", "second"),
    )

    decision = decide(Outcome(Claimed(LEASE, job), Raised(OOPS)), DEFAULT_POLICY, NOW_MS)

    traces = json.loads(stored_fields(decision)["stacktrace"])
    assert len(traces) == kept
    assert not kept or traces[-1].endswith("oops\n")


def test_a_trace_that_node_cut_in_the_middle_of_a_letter_hinders_nobody() -> None:
    """A job whose failure could not be stored would be claimed and run for ever."""
    job = JobRecord(
        id="7",
        name="n",
        data=None,
        options=StoredOptions(attempts=3),
        stack_trace=("cut \ud83d", "x" * 10**6),
    )

    decision = decide(Outcome(Claimed(LEASE, job), Raised(OOPS)), DEFAULT_POLICY, NOW_MS)

    first, second, _ = json.loads(stored_fields(decision)["stacktrace"])
    assert first == "cut ?"
    assert len(second) < 20_000


@pytest.mark.parametrize(
    "opts",
    [
        {"attempts": 1e300, "removeOnFail": 1e300, "removeOnComplete": {"count": 1e300}},
        {"attempts": 10**400, "removeOnFail": {"age": 10**400}, "stackTraceLimit": 1e300},
        {"attempts": 5, "backoff": {"type": "fixed", "delay": 1e300, "jitter": 10**400}},
        {"attempts": 2**64, "backoff": 10**400},
    ],
)
@pytest.mark.parametrize(
    "ending", [Returned(1), Raised(OOPS), Raised(PermanentError("p")), Said(GiveBack())], ids=repr
)
def test_no_stored_option_keeps_a_run_from_being_settled(
    opts: dict[str, object], ending: Ending
) -> None:
    job = JobRecord(id="7", name="n", data=None, options=read_options(opts))

    decision = decide(Outcome(Claimed(LEASE, job), ending), DEFAULT_POLICY, NOW_MS)

    assert msgspec.msgpack.encode(decision.settlement)


@pytest.mark.parametrize("ending", [Returned(1), Raised(OOPS, final=True)], ids=["well", "badly"])
@pytest.mark.parametrize(
    ("fields", "is_linked"),
    [({}, False), ({"parent_key": "bull:q:1"}, True), ({"deduplication_id": "d"}, True)],
)
def test_an_end_that_others_hear_of_is_linked(
    ending: Ending, fields: dict[str, str], *, is_linked: bool
) -> None:
    decision = decide(Outcome(relative(**fields), ending), DEFAULT_POLICY, NOW_MS)

    assert finish(decision).is_linked is is_linked


@pytest.mark.parametrize("keep", [KeepRule(count=5), KeepRule(age_s=0)])
def test_a_failure_that_may_push_out_a_child_is_linked(keep: KeepRule) -> None:
    policy = Policy(keep_failed=keep, keep_completed=keep)

    assert finish(decided(Raised(OOPS), policy=policy)).is_linked
    assert not finish(decided(Returned(1), policy=policy)).is_linked


def test_a_job_may_wait_for_its_children() -> None:
    decision = decided(Said(WaitForChildren()))

    assert decision.settlement == Wait(id="7", token="token")  # noqa: S106
    assert decision.settled == Settled("7", Effect.WAITS)


@pytest.mark.parametrize(
    ("verdict", "effect"),
    [
        (Verdict.LINKED, Effect.COMPLETED),
        (Verdict.PENDING_CHILDREN, Effect.RETRIED),
        (Verdict.FAILED_CHILDREN, Effect.FAILED),
        (Verdict.NO_CHILDREN, Effect.GIVEN_BACK),
    ],
)
def test_what_cannot_be_stored_like_this_is_decided_anew(verdict: Verdict, effect: Effect) -> None:
    revised = revise(decided(Returned(1), attempts=2), verdict, DEFAULT_POLICY)

    assert revised
    assert revised.settled.effect is effect
    assert verdict is not Verdict.LINKED or finish(revised).is_linked


@pytest.mark.parametrize("verdict", [Verdict.MISSING, Verdict.LOCK_LOST, Verdict.NOT_ACTIVE])
def test_what_is_not_ours_any_more_is_let_go(verdict: Verdict) -> None:
    assert revise(decided(Returned(1)), verdict, DEFAULT_POLICY) is None
