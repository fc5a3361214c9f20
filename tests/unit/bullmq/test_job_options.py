"""Every option of a job: what is stored of it, and what is said about a wrong one."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from toril.bullmq import Deduplication, Keep
from toril.bullmq.job_options import new_job, new_jobs, record_of
from toril.bullmq.operations.add.add_jobs import Added, NewJob, Once
from toril.bullmq.wire.options import KeepRule
from toril.core.backoff import Backoff
from toril.core.errors import BadInputError

MIB = 2**20
MOMENT = datetime(2030, 1, 1, tzinfo=UTC)
MOMENT_MS = 1_893_456_000_000


def made(name: str = "n", data: object = None, **options: object) -> NewJob:
    return new_job(name, data, options, big_integers=False)


def stored(**options: object) -> dict[str, object]:
    opts = json.loads(made(**options).opts)
    assert isinstance(opts, dict)
    return opts


def test_a_job_without_options_has_three_attempts_and_an_exponential_backoff() -> None:
    job = made(data={"to": "ü"})

    assert json.loads(job.opts) == {
        "attempts": 3,
        "backoff": {"type": "exponential", "delay": 1_000},
    }
    assert job.data == '{"to":"ü"}'
    assert (job.id, job.delay_ms, job.priority, job.lifo, job.timestamp) == ("", 0, 0, False, 0)


@pytest.mark.parametrize(
    ("option", "value", "name", "as_stored"),
    [
        ("attempts", 0, "attempts", 0),
        ("attempts", 1_000_000, "attempts", 1_000_000),
        ("backoff", 2.5, "backoff", {"type": "fixed", "delay": 2_500}),
        ("backoff", timedelta(minutes=1), "backoff", {"type": "fixed", "delay": 60_000}),
        (
            "backoff",
            Backoff.exponential(3, jitter=0.5),
            "backoff",
            {"type": "exponential", "delay": 3_000, "jitter": 0.5},
        ),
        ("delay", 0.0004, "delay", 1),
        ("delay", timedelta(hours=1), "delay", 3_600_000),
        ("priority", 0, "priority", 0),
        ("priority", 2_097_151, "priority", 2_097_151),
        ("lifo", True, "lifo", True),
        ("job_id", "letter-7", "jobId", "letter-7"),
        ("timestamp", MOMENT, "timestamp", MOMENT_MS),
        ("remove_on_complete", True, "removeOnComplete", True),
        ("remove_on_complete", False, "removeOnComplete", False),
        ("remove_on_complete", 0, "removeOnComplete", 0),
        ("remove_on_complete", Keep(), "removeOnComplete", {}),
        ("remove_on_complete", Keep(count=5), "removeOnComplete", {"count": 5}),
        ("remove_on_fail", 100, "removeOnFail", 100),
        (
            "remove_on_fail",
            Keep(count=5, age=timedelta(days=1)),
            "removeOnFail",
            {"count": 5, "age": 86_400},
        ),
        ("remove_on_fail", Keep(age=0.1), "removeOnFail", {"age": 1}),
        ("stack_trace_limit", 0, "stackTraceLimit", 0),
        ("keep_logs", 10, "kl", 10),
        ("size_limit", 100, "sizeLimit", 100),
        ("deduplication", Deduplication("a:b"), "de", {"id": "a:b"}),
        (
            "deduplication",
            Deduplication("d", ttl=timedelta(seconds=2), extend=True, replace=True),
            "de",
            {"id": "d", "ttl": 2_000, "extend": True, "replace": True},
        ),
        (
            "deduplication",
            Deduplication("d", keep_last_if_active=True),
            "de",
            {"id": "d", "keepLastIfActive": True},
        ),
    ],
)
def test_an_option_is_stored_under_the_name_that_node_reads(
    option: str, value: object, name: str, as_stored: object
) -> None:
    assert stored(**{option: value})[name] == as_stored


def test_an_idempotency_key_travels_beside_the_options_and_is_not_one_of_the_stored() -> None:
    job = made(idempotency_key="order:7")

    assert job.once == Once("order:7", 86_400_000)
    assert made(idempotency_key="k", idempotency_ttl=60).once == Once("k", 60_000)
    assert made().once is None
    assert job.opts == made().opts


@pytest.mark.parametrize(
    ("ttl", "problem"),
    [(0.9, "less than 0:00:01"), (0, "less than"), (-1, "negative"), ("1 h", "seconds or a")],
)
def test_how_long_a_key_is_remembered_has_limits(ttl: object, problem: str) -> None:
    with pytest.raises(BadInputError, match=problem) as refusal:
        made(idempotency_key="k", idempotency_ttl=ttl)

    assert refusal.value.field == "idempotency_ttl"


@pytest.mark.parametrize(
    ("options", "field", "problem"),
    [
        ({"id": ""}, "deduplication.id", "empty"),
        ({"id": 5}, "deduplication.id", "pass a str"),
        ({"id": "x" * 256}, "deduplication.id", "256 characters exceed"),
        ({"id": "a\nb"}, "deduplication.id", "control character"),
        ({"id": "d", "ttl": 0}, "deduplication.ttl", "less than 1 ms"),
        ({"id": "d", "ttl": -1}, "deduplication.ttl", "negative"),
        ({"id": "d", "ttl": float("nan")}, "deduplication.ttl", "finite"),
        ({"id": "d", "ttl": "1 s"}, "deduplication.ttl", "seconds or a timedelta"),
        ({"id": "d", "extend": True}, "deduplication.extend", "no ttl"),
        ({"id": "d", "replace": 1}, "deduplication.replace", "True nor False"),
        ({"id": "d", "keep_last_if_active": "x"}, "deduplication.keep_last_if_active", "True nor"),
        ({"id": "d", "keep_last_if_active": True, "ttl": 1}, "deduplication.ttl", "does not go"),
    ],
)
def test_a_deduplication_is_checked_when_it_is_made(
    options: dict[str, Any], field: str, problem: str
) -> None:
    with pytest.raises(BadInputError, match=problem) as refusal:
        Deduplication(**options)

    assert refusal.value.field == field


def test_data_beyond_a_limit_of_the_callers_is_refused() -> None:
    assert made(data="äöü", size_limit=8).data == '"äöü"'
    with pytest.raises(BadInputError, match="8 bytes exceed the size_limit of 7") as refusal:
        made(data="äöü", size_limit=7)

    assert refusal.value.field == "data"


def test_a_job_cannot_be_due_after_september_2039() -> None:
    created = datetime(2035, 1, 1, tzinfo=UTC)
    latest = datetime(2039, 9, 7, tzinfo=UTC)

    assert made(timestamp=created, delay=latest - created).delay_ms > 0
    assert made(timestamp=datetime(2050, 1, 1, tzinfo=UTC)).delay_ms == 0
    with pytest.raises(BadInputError, match="ends after 07 September 2039") as refusal:
        made(timestamp=created, delay=latest - created + timedelta(days=1))

    assert refusal.value.field == "delay"


def test_a_delay_without_a_timestamp_counts_from_now(monkeypatch: pytest.MonkeyPatch) -> None:
    in_2035_ns = 2_051_222_400 * 10**9
    monkeypatch.setattr("time.time_ns", lambda: in_2035_ns)

    assert made(delay=timedelta(days=365)).delay_ms > 0
    with pytest.raises(BadInputError, match="September 2039"):
        made(delay=timedelta(days=5 * 365))


def test_no_backoff_is_no_backoff_at_all() -> None:
    assert "backoff" not in stored(backoff=None)


@pytest.mark.parametrize(
    ("option", "value", "field", "limit"),
    [
        ("attempts", -1, "attempts", "from 0 to 1,000,000"),
        ("attempts", 1_000_001, "attempts", "from 0 to 1,000,000"),
        ("attempts", True, "attempts", "not a whole number"),
        ("attempts", 3.0, "attempts", "not a whole number"),
        ("attempts", None, "attempts", "not a whole number"),
        ("backoff", "fixed", "backoff.delay", "seconds or a timedelta"),
        ("backoff", -1, "backoff.delay", "negative"),
        ("backoff", True, "backoff.delay", "seconds or a timedelta"),
        ("delay", -0.001, "delay", "negative"),
        ("delay", float("nan"), "delay", "finite"),
        ("delay", 10 * 366 * 86_400, "delay", "more than 3650 days"),
        ("delay", "1s", "delay", "seconds or a timedelta"),
        ("priority", 2_097_152, "priority", "from 0 to 2,097,151"),
        ("priority", -1, "priority", "from 0 to 2,097,151"),
        ("lifo", 1, "lifo", "True nor False"),
        ("job_id", "", "job_id", "empty"),
        ("job_id", "7", "job_id", "counted by Redis"),
        ("job_id", "a:b", "job_id", "colon"),
        ("job_id", "meta", "job_id", "the queue's own keys"),
        ("job_id", "x" * 256, "job_id", "256 characters exceed the limit of 255"),
        ("job_id", "\ud800", "job_id", "surrogate"),
        ("job_id", 7, "job_id", "pass a str"),
        ("timestamp", 5, "timestamp", "not a datetime"),
        ("timestamp", datetime(2030, 1, 1), "timestamp", "time zone"),  # noqa: DTZ001
        ("timestamp", datetime(1960, 1, 1, tzinfo=UTC), "timestamp", "after 1970"),
        ("timestamp", datetime(1970, 1, 1, tzinfo=UTC), "timestamp", "after 1970"),
        ("remove_on_complete", -1, "remove_on_complete", "from 0 to"),
        ("remove_on_complete", None, "remove_on_complete", "not a whole number"),
        ("remove_on_complete", Keep(count=-1), "remove_on_complete.count", "from 0 to"),
        ("remove_on_fail", Keep(age=-1), "remove_on_fail.age", "negative"),
        ("stack_trace_limit", -1, "stack_trace_limit", "from 0 to"),
        ("keep_logs", "all", "keep_logs", "not a whole number"),
        ("deduplication", "d", "deduplication", "pass a Deduplication"),
        ("deduplication", None, "deduplication", "pass a Deduplication"),
        ("deduplication", {"id": "d"}, "deduplication", "pass a Deduplication"),
        ("size_limit", 1, "size_limit", "from 2 to 10,485,760"),
        ("size_limit", 10_485_761, "size_limit", "from 2 to 10,485,760"),
        ("size_limit", "1", "size_limit", "not a whole number"),
        ("idempotency_key", "", "idempotency_key", "empty"),
        ("idempotency_key", "x" * 256, "idempotency_key", "256 characters exceed"),
        ("idempotency_key", "a\x7f", "idempotency_key", "control character"),
        ("idempotency_key", None, "idempotency_key", "pass a str"),
        ("idempotency_ttl", 60, "idempotency_ttl", "no idempotency_key"),
    ],
)
def test_an_error_names_the_option_and_its_limit(
    option: str, value: object, field: str, limit: str
) -> None:
    with pytest.raises(BadInputError, match=limit) as refusal:
        made(**{option: value})

    assert refusal.value.field == field


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        ("attemps", "did you mean 'attempts'?"),
        ("removeOnComplete", "did you mean 'remove_on_complete'?"),
        ("jobId", "did you mean 'job_id'?"),
        ("zzz", "there are attempts, backoff"),
    ],
)
def test_an_unknown_option_is_refused_with_the_one_that_was_meant(option: str, hint: str) -> None:
    with pytest.raises(BadInputError) as refusal:
        made(**{option: 1})

    assert refusal.value.field == option
    assert hint in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "problem"),
    [("", "empty"), ("x" * 256, "limit of 255"), ("a\nb", "control"), (7, "pass a str")],
)
def test_the_name_of_a_job_is_checked(name: object, problem: str) -> None:
    with pytest.raises(BadInputError, match=problem) as refusal:
        made(name)  # type: ignore[arg-type]

    assert refusal.value.field == "name"


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"to": {"ada"}}, "data.to"),
        ([1, b"x"], "data[1]"),
        ({"n": 2**53}, "data.n"),
        ({"x": [0, float("inf")]}, "data.x[1]"),
    ],
)
def test_data_that_is_not_json_is_refused_with_its_path(data: object, field: str) -> None:
    with pytest.raises(BadInputError) as refusal:
        made(data=data)

    assert refusal.value.field == field


def test_a_queue_may_allow_big_integers_in_data() -> None:
    assert new_job("n", 2**70, {}, big_integers=True).data == str(2**70)


def test_data_and_options_together_have_a_limit() -> None:
    opts_bytes = len(made().opts)
    fits = "x" * (10 * MIB - opts_bytes - 2)

    assert len(made(data=fits).data) == len(fits) + 2
    with pytest.raises(BadInputError, match=r"10\.1 MiB exceeds the limit of 10 MiB"):
        made(data=fits + "x")


def test_what_counts_is_bytes_and_not_letters() -> None:
    with pytest.raises(BadInputError, match="12 MiB exceeds"):
        made(data="ü" * (6 * MIB))


def test_many_jobs_are_checked_before_any_is_sent_and_the_wrong_one_is_named() -> None:
    with pytest.raises(BadInputError) as refusal:
        new_jobs([("a", 1), ("b", 2, {"delay": 1}), ("c", 3, {"priority": -1})], big_integers=False)

    assert refusal.value.field == "jobs[2].priority"


@pytest.mark.parametrize(
    "spec", ["ab", ("a",), ("a", 1, {}, 2), ("a", 1, 2), (1, 2), None, {"name": "a"}]
)
def test_a_job_that_is_no_tuple_of_name_and_data_is_named(spec: object) -> None:
    with pytest.raises(BadInputError, match="is not a tuple of name, data") as refusal:
        new_jobs([("a", 1), spec], big_integers=False)  # type: ignore[list-item]

    assert refusal.value.field == "jobs[1]"


def test_a_job_that_was_just_added_knows_its_options() -> None:
    job = made(
        data=5,
        deduplication=Deduplication("d"),
        attempts=7,
        keep_logs=4,
        remove_on_fail=3,
        delay=2,
        priority=1,
    )

    record = record_of(job, 5, Added("12", MOMENT_MS, created=True))

    assert (record.id, record.data, record.timestamp) == ("12", 5, MOMENT_MS)
    assert (record.delay_ms, record.priority) == (2_000, 1)
    assert record.deduplication_id == "d"
    assert record.options.attempts == 7
    assert record.options.keep_logs == 4
    assert record.options.on_fail == KeepRule(count=3)
