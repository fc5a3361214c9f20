"""What people may say about a worker and about a queue object, checked before anything starts."""

from datetime import timedelta
from typing import Any

import pytest

from toril import AsyncWorker, Queue, Worker
from toril.bullmq import Handler, Keep
from toril.bullmq.wire.options import KeepRule
from toril.bullmq.worker.options import engine_options, new_worker_id, source_options
from toril.bullmq.worker.settlement import DEFAULT_POLICY
from toril.core.backoff import Backoff
from toril.core.errors import BadInputError

NOBODY = "redis://127.0.0.1:1"


async def handle(job: object) -> None:
    del job


@pytest.mark.parametrize("worker", [Worker, AsyncWorker])
@pytest.mark.parametrize(
    ("options", "field", "problem"),
    [
        ({"concurrency": 0}, "concurrency", "from 1 to 100000"),
        ({"concurrency": "10"}, "concurrency", "not a whole number"),
        ({"concurrency": float("inf")}, "concurrency", "not a whole number"),
        ({"concurrency": float("nan")}, "concurrency", "not a whole number"),
        ({"lock": float("nan")}, "lock", "finite"),
        ({"lock": 0.01}, "lock", "less than 100 ms"),
        ({"lock": 86_401}, "lock", "more than"),
        ({"stalled_interval": 0}, "stalled_interval", "less than 100 ms"),
        ({"max_stalled": -1}, "max_stalled", "from 0 to 1,000,000"),
        ({"max_stalled": True}, "max_stalled", "not a whole number"),
        ({"drain_timeout": -1}, "drain_timeout", "negative"),
        ({"drain_timeout": 86_400}, "drain_timeout", "more than 23:59:55"),
        ({"max_attempts": 0}, "max_attempts", "from 1 to 1,000,000"),
        ({"max_attempts": "3"}, "max_attempts", "not a whole number"),
        ({"backoff": 5}, "backoff", "not a Backoff"),
        ({"max_backoff": -1}, "max_backoff", "negative"),
        ({"max_started": 0}, "max_started", "from 1 to 1,000,000"),
        ({"metrics": 59.9}, "metrics", "less than"),
        ({"metrics": timedelta(days=32)}, "metrics", "more than"),
        ({"metrics": {"maxDataPoints": 5}}, "metrics", "is of type dict"),
        ({"remove_on_complete": "yes"}, "remove_on_complete", "not a whole number"),
        ({"remove_on_fail": Keep(count=-1)}, "remove_on_fail.count", "from 0 to"),
        ({"name": "x" * 256}, "name", "limit of 255"),
        ({"name": 7}, "name", "pass a str"),
        ({"concurency": 1}, "concurency", "did you mean 'concurrency'?"),
    ],
)
def test_an_error_names_the_option_of_a_worker_and_its_limit(
    worker: type[Worker], options: dict[str, Any], field: str, problem: str
) -> None:
    with pytest.raises(BadInputError, match=problem.replace("?", r"\?")) as refusal:
        worker("mail", handle, NOBODY, **options)

    assert refusal.value.field == field


@pytest.mark.parametrize("handler", [None, 7, "app:handle"])
def test_a_handler_must_be_callable(handler: Handler) -> None:
    with pytest.raises(BadInputError, match="cannot be called"):
        AsyncWorker("mail", handler, NOBODY)


def test_a_worker_on_a_cluster_refuses_a_queue_without_a_tag() -> None:
    with pytest.raises(BadInputError, match="has no hash tag"):
        AsyncWorker("mail", handle, "redis+cluster://127.0.0.1:1", hash_tag=False)


@pytest.mark.parametrize(
    ("options", "field", "problem"),
    [
        ({"max_events": 0}, "max_events", "from 1 to"),
        ({"max_events": "10"}, "max_events", "not a whole number"),
        ({"max_event": 1}, "max_event", "did you mean 'max_events'"),
    ],
)
def test_an_error_names_the_option_of_a_queue_and_its_limit(
    options: dict[str, Any], field: str, problem: str
) -> None:
    with pytest.raises(BadInputError, match=problem) as refusal:
        Queue("mail", NOBODY, **options)

    assert refusal.value.field == field


def test_the_defaults_are_the_promised_ones() -> None:
    engine, source = engine_options({}), source_options({}, "me")

    assert (engine.concurrency, engine.lease_ms) == (1, 30_000)
    assert (engine.drain_ms, engine.shutdown_ms) == (25_000, 30_000)
    assert (source.worker, source.worker_name, source.lock_ms) == ("me", "me", 30_000)
    assert (source.stalled_interval_ms, source.max_stalled) == (30_000, 3)
    assert source.policy == DEFAULT_POLICY
    assert source.policy.backoff_cap_ms == 3_600_000


def test_what_a_worker_says_becomes_its_policy() -> None:
    source = source_options(
        {
            "name": "",
            "max_attempts": 5,
            "backoff": Backoff.fixed(1),
            "max_backoff": timedelta(minutes=1),
            "remove_on_complete": Keep(count=10),
            "remove_on_fail": Keep(age=1.5),
        },
        "me",
    )

    assert source.worker_name == ""
    assert source.policy.max_attempts == 5
    assert source.policy.backoff == Backoff.fixed(1)
    assert source.policy.backoff_cap_ms == 60_000
    assert source.policy.keep_completed == KeepRule(count=10)
    assert source.policy.keep_failed == KeepRule(age_s=2)


@pytest.mark.parametrize(("metrics", "minutes"), [(60, 1), (60.001, 2), (timedelta(days=1), 1_440)])
def test_metrics_are_kept_for_whole_minutes(metrics: float | timedelta, minutes: int) -> None:
    assert source_options({"metrics": metrics}, "me").metrics_minutes == minutes
    assert source_options({}, "me").metrics_minutes == 0


def test_the_longest_drain_leaves_room_for_the_rest() -> None:
    assert engine_options({"drain_timeout": 86_395}).shutdown_ms == 86_400_000


def test_no_two_workers_share_an_id() -> None:
    assert len({new_worker_id() for _ in range(100)}) == 100
