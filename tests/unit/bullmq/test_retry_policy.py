"""Who decides about a failed attempt is asked, once and only then; and costs no job anything."""

import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from toril import AsyncWorker, Claims, CustomBackoff, Failure, is_transient
from toril.bullmq.job_options import new_job
from toril.bullmq.operations.finish.settlement import Finish, Return, Verdict
from toril.bullmq.wire.job import JobRecord
from toril.bullmq.wire.options import StoredBackoff, StoredOptions, options_of
from toril.bullmq.worker.options import WorkerOptions, source_options
from toril.bullmq.worker.settlement import Decision, decide, revise
from toril.core.backoff import Backoff
from toril.core.errors import BadInputError, PermanentError, TransientError
from toril.core.outcome import Discard, Retry
from toril.runtime.source import Claimed, Ending, Lease, Outcome, Raised, Returned, Said

NOBODY = "redis://127.0.0.1:1"
OWN = StoredBackoff("office hours", 250)


def decided(
    ending: Ending,
    options: WorkerOptions,
    *,
    made: int = 0,
    backoff: StoredBackoff | None = None,
    attempts: int = 3,
) -> Decision:
    stored = StoredOptions(attempts=attempts, backoff=backoff)
    job = JobRecord(id="7", name="n", data=None, options=stored, attempts_made=made)
    outcome = Outcome(Claimed(Lease("7", "token"), job), ending)
    return decide(outcome, source_options(options, "worker").policy, 1_700_000_000_000)


def is_final(decision: Decision) -> bool:
    return isinstance(decision.settlement, Finish)


def pause_ms(decision: Decision) -> int:
    assert isinstance(decision.settlement, Return)
    assert decision.settlement.kind == ("delay" if decision.settlement.delay_ms else "retry")
    return decision.settlement.delay_ms


@pytest.mark.parametrize(
    ("error", "by_default", "categorized"),
    [
        (ValueError("v"), False, True),
        (ConnectionError(), False, False),
        (TransientError("t"), False, False),
        (PermanentError("p"), True, True),
        (PermanentError("p", TimeoutError()), True, True),
    ],
)
def test_the_policies_that_have_a_name(
    error: Exception, *, by_default: bool, categorized: bool
) -> None:
    assert is_final(decided(Raised(error), {})) is by_default
    assert is_final(decided(Raised(error), {"retry_policy": "default"})) is by_default
    assert is_final(decided(Raised(error), {"retry_policy": "categorized"})) is categorized


def test_a_function_decides_by_all_that_is_known() -> None:
    asked: list[Failure] = []

    def policy(failure: Failure) -> bool:
        asked.append(failure)
        return is_transient(failure.error) and failure.attempts < 2

    assert not is_final(decided(Raised(TimeoutError()), {"retry_policy": policy}))
    assert is_final(decided(Raised(TimeoutError()), {"retry_policy": policy}, made=1))
    assert [failure.attempts for failure in asked] == [1, 2]
    assert asked[0].job.id == "7"


@pytest.mark.parametrize(
    ("ending", "made"),
    [
        (Raised(ValueError()), 2),
        (Raised(PermanentError("p")), 0),
        (Raised(ValueError(), final=True), 0),
        (Said(Retry("again")), 0),
        (Said(Discard("d")), 0),
        (Returned(1), 0),
    ],
)
def test_a_function_is_not_asked_where_there_is_nothing_to_decide(
    ending: Ending, made: int
) -> None:
    def never(_: Failure) -> bool:
        raise AssertionError("was asked")

    with_policy = decided(ending, {"retry_policy": never, "backoff_strategy": never}, made=made)

    assert with_policy == decided(ending, {}, made=made)


def test_a_handler_that_returned_before_its_children_is_tried_again() -> None:
    early = decided(Returned(1), {"retry_policy": "categorized"})

    policy = source_options({"retry_policy": "categorized"}, "w").policy
    revised = revise(early, Verdict.PENDING_CHILDREN, policy)

    assert revised
    assert not is_final(revised)


class TreacherousError(Exception):
    """An error of which nobody can be told."""

    def __str__(self) -> str:
        raise RuntimeError("no message")

    __repr__ = __str__


def raising(_: Failure) -> bool:
    raise RuntimeError("my own mistake")


def betraying(_: Failure) -> bool:
    raise TreacherousError


@pytest.mark.parametrize("policy", [raising, betraying, lambda _: None, lambda _: "no"])
def test_a_policy_that_does_not_decide_costs_no_attempt(
    policy: Callable[[Failure], Any], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "toril.bullmq.worker"):
        decision = decided(Raised(ValueError()), {"retry_policy": policy})

    assert not is_final(decision)
    assert "job 7: the retry policy" in caplog.text


@pytest.mark.parametrize(
    ("answer", "expected_ms"),
    [
        (None, 0),
        (0, 0),
        (2.5, 2_500),
        (timedelta(minutes=1), 60_000),
        (1e18, 3_600_000),
        (float("inf"), 3_600_000),
        (10**400, 3_600_000),
        (timedelta.max, 3_600_000),
    ],
)
def test_a_strategy_says_the_pause_and_the_cap_bounds_it(answer: Any, expected_ms: int) -> None:  # noqa: ANN401
    decision = decided(Raised(ValueError()), {"backoff_strategy": lambda _: answer}, backoff=OWN)

    assert pause_ms(decision) == expected_ms


def test_a_strategy_knows_the_job_the_error_and_the_name() -> None:
    def strategy(failure: Failure) -> float:
        assert failure.backoff == CustomBackoff("office hours", 0.25)
        assert isinstance(failure.error, ValueError)
        assert failure.backoff.delay is not None
        return failure.attempts * timedelta(seconds=0.25) / failure.backoff.delay

    options: WorkerOptions = {"backoff_strategy": strategy, "max_backoff": 1.5}

    assert pause_ms(decided(Raised(ValueError()), options, backoff=OWN)) == 1_000
    assert pause_ms(decided(Raised(ValueError()), options, backoff=OWN, made=1)) == 1_500


@pytest.mark.parametrize("answer", [-1, float("nan"), "5 s", object(), True])
def test_a_strategy_that_says_no_pause_that_there_is_costs_a_second(
    answer: object, caplog: pytest.LogCaptureFixture
) -> None:
    options: Any = {"backoff_strategy": lambda _: answer}
    with caplog.at_level(logging.WARNING, "toril.bullmq.worker"):
        decision = decided(Raised(ValueError()), options, backoff=OWN)

    assert pause_ms(decision) == 1_000
    assert "job 7: the strategy for backoff 'office hours' failed" in caplog.text


def test_a_worker_without_a_strategy_waits_a_second_and_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING, "toril.bullmq.worker"):
        decision = decided(Raised(ValueError()), {}, backoff=OWN)

    assert pause_ms(decision) == 1_000
    assert "job 7: this worker has no strategy" in caplog.text


@pytest.mark.parametrize(
    "backoff", [StoredBackoff("fixed", 5), StoredBackoff("exponential", 5), None]
)
def test_a_strategy_is_for_custom_backoffs_alone(backoff: StoredBackoff | None) -> None:
    decision = decided(Raised(ValueError()), {"backoff_strategy": raising}, backoff=backoff)

    assert pause_ms(decision) == (5 if backoff else 0)


def test_what_the_worker_says_for_all_goes_before_a_custom_backoff() -> None:
    options: WorkerOptions = {"backoff": Backoff.fixed(9), "backoff_strategy": raising}

    assert pause_ms(decided(Raised(ValueError()), options, backoff=OWN)) == 9_000


def test_a_pause_that_the_handler_names_goes_before_all() -> None:
    options: WorkerOptions = {"backoff_strategy": raising}

    assert pause_ms(decided(Said(Retry(delay=3)), options, backoff=OWN)) == 3_000


async def a_coroutine(_: Failure) -> bool:
    return True


@pytest.mark.parametrize("field", ["retry_policy", "backoff_strategy"])
@pytest.mark.parametrize(
    ("value", "problem"),
    [(7, "cannot be called"), (a_coroutine, "declare it with `def`"), ("", "''")],
)
@pytest.mark.parametrize("kind", [AsyncWorker, Claims])
def test_only_a_plain_function_can_decide(
    kind: type, value: int | Callable[[Failure], Awaitable[bool]], problem: str, field: str
) -> None:
    arguments = ("mail", lambda _: None, NOBODY) if kind is AsyncWorker else ("mail", NOBODY)
    with pytest.raises(BadInputError, match=problem) as refusal:
        kind(*arguments, **{field: value})

    assert refusal.value.field == field


def test_a_policy_has_one_of_two_names() -> None:
    with pytest.raises(BadInputError, match="'categorised' is neither 'default' nor"):
        source_options({"retry_policy": "categorised"}, "w")  # type: ignore[typeddict-item]


@pytest.mark.parametrize(
    ("backoff", "stored"),
    [
        (CustomBackoff("own"), '"backoff":{"type":"own"}'),
        (CustomBackoff("own", 2.5), '"backoff":{"type":"own","delay":2500}'),
        (CustomBackoff("own", 0), '"backoff":{"type":"own","delay":0}'),
    ],
)
def test_a_custom_backoff_is_stored_as_node_spells_it(backoff: CustomBackoff, stored: str) -> None:
    job = new_job("n", None, {"backoff": backoff}, big_integers=False)

    assert stored in job.opts
    assert options_of(job.opts).backoff is not None


@pytest.mark.parametrize(
    ("name", "delay", "field"),
    [
        ("", None, "backoff.name"),
        ("x" * 256, None, "backoff.name"),
        (7, None, "backoff.name"),
        ("fixed", 1, "backoff.name"),
        ("exponential", 1, "backoff.name"),
        ("own", -1, "backoff.delay"),
        ("own", "soon", "backoff.delay"),
    ],
)
def test_an_error_names_the_part_of_a_custom_backoff(name: Any, delay: Any, field: str) -> None:  # noqa: ANN401
    with pytest.raises(BadInputError) as refusal:
        CustomBackoff(name, delay)

    assert refusal.value.field == field


@pytest.mark.parametrize("name", ["", "x" * 256, "\ud800"])
def test_a_stored_name_that_nobody_may_give_is_an_unknown_backoff(name: str) -> None:
    options: WorkerOptions = {"backoff_strategy": raising}

    decision = decided(Raised(ValueError()), options, backoff=StoredBackoff(name, 1e300))

    assert pause_ms(decision) == 1_000
