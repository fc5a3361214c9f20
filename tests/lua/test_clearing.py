"""What is removed with a job, and what a sweep leaves alone."""

from typing import Any, Final

import pytest
import redis
from redis.exceptions import ResponseError
from tests.lua.sending import send

from toril.bullmq.operations.clear.clean_jobs import Cleaned, CleanJobs
from toril.bullmq.operations.clear.drain_jobs import DrainJobs
from toril.bullmq.operations.clear.obliterate import Busy, Obliterate
from toril.bullmq.operations.clear.sweep import START, Sweep
from toril.bullmq.wire.keys import QueueKeys
from toril.core.operation import Operation

KEYS: Final = QueueKeys("bull", "{mail}")
DRAIN: Final = DrainJobs(keys=KEYS, delayed=True, count=9)
CLEAN: Final = CleanJobs(keys=KEYS, place="wait", grace_ms=1_000, count=9, clock_ms=9_000)


def store(client: redis.Redis, job_id: str, **fields: str) -> None:
    """A job that was added at 5,000."""
    job: dict[Any, Any] = {"name": "n", "timestamp": "5000", **fields}
    client.hset(KEYS.job(job_id), mapping=job)


@pytest.mark.parametrize("operation", [DRAIN, CLEAN])
@pytest.mark.parametrize("part", ["wait", "marker", "events", "prioritized", "waiting-children"])
def test_a_key_of_a_foreign_type_is_found_before_anything_is_written(
    redis_client: redis.Redis, operation: Operation[object], part: str
) -> None:
    store(redis_client, "1")
    redis_client.rpush(KEYS.wait, "1")
    redis_client.delete(KEYS.base + part)
    redis_client.set(KEYS.base + part, "foreign")

    with pytest.raises(ResponseError, match="WRONGTYPE"):
        send(redis_client, operation)

    assert redis_client.exists(KEYS.job("1"))


@pytest.mark.parametrize("operation", [DRAIN, CLEAN])
def test_an_id_without_a_job_goes(redis_client: redis.Redis, operation: Operation[object]) -> None:
    redis_client.rpush(KEYS.wait, "ghost")

    send(redis_client, operation)

    assert not redis_client.exists(KEYS.wait)


@pytest.mark.parametrize("parent_key", ["", "nonsense", "bull:{mail}:gone", "bull:{mail}:foreign"])
def test_a_parent_that_cannot_be_told_does_not_matter(
    redis_client: redis.Redis, parent_key: str
) -> None:
    redis_client.set(KEYS.job("foreign"), "text")
    store(redis_client, "1", parentKey=parent_key)
    redis_client.rpush(KEYS.wait, "1")

    assert send(redis_client, DRAIN) == 1

    assert not redis_client.exists(KEYS.job("1"), KEYS.wait)


@pytest.mark.parametrize(
    ("fields", "goes"),
    [
        ({"timestamp": "8000"}, True),
        ({"timestamp": "8001"}, False),
        ({"processedOn": "8001"}, False),
        ({"processedOn": "8001", "finishedOn": "8000"}, True),
        ({"timestamp": "no number"}, True),
    ],
)
def test_a_job_is_as_old_as_its_last_run(
    redis_client: redis.Redis, fields: dict[Any, Any], goes: bool
) -> None:
    store(redis_client, "1")
    redis_client.hset(KEYS.job("1"), mapping=fields)
    redis_client.rpush(KEYS.wait, "1")

    expected = Cleaned(["1"], 0, is_last=True) if goes else Cleaned([], 1, is_last=True)
    assert send(redis_client, CLEAN) == expected


def test_a_parent_that_goes_takes_its_own_deduplication_along(redis_client: redis.Redis) -> None:
    store(redis_client, "p", deid="d")
    redis_client.set(KEYS.deduplication("d"), "p")
    redis_client.zadd(KEYS.waiting_children, {"p": 1})
    redis_client.sadd(f"{KEYS.job('p')}:dependencies", KEYS.job("c"))
    store(redis_client, "c", parentKey=KEYS.job("p"))
    redis_client.rpush(KEYS.wait, "c")

    assert send(redis_client, DRAIN) == 1

    assert redis_client.keys("*") == []


def test_jobs_go_in_as_many_calls_as_it_takes(redis_client: redis.Redis) -> None:
    for number in range(5):
        store(redis_client, str(number))
        redis_client.zadd(KEYS.completed, {str(number): number})
    operation = Obliterate(keys=KEYS, force=False, count=2)

    assert [send(redis_client, operation) for _ in range(3)] == [False, False, True]
    assert redis_client.keys("*") == []


def test_jobs_that_run_are_counted_and_left(redis_client: redis.Redis) -> None:
    redis_client.rpush(KEYS.active, "1", "2")

    assert send(redis_client, Obliterate(keys=KEYS, force=False, count=9)) == Busy(2)
    assert redis_client.keys("*") == [KEYS.active.encode()]


def test_schedulers_go_with_their_queue(redis_client: redis.Redis) -> None:
    redis_client.zadd(f"{KEYS.base}repeat", {"nightly": 1})
    redis_client.hset(f"{KEYS.base}repeat:nightly", "name", "n")

    assert send(redis_client, Obliterate(keys=KEYS, force=False, count=9)) is True
    assert redis_client.keys("*") == []


def test_a_sweep_stops_when_somebody_has_added_again(redis_client: redis.Redis) -> None:
    redis_client.set(KEYS.id_counter, "1")
    redis_client.set(KEYS.deduplication("d"), "1")

    assert send(redis_client, Sweep(keys=KEYS)) == START
    assert redis_client.exists(KEYS.deduplication("d"))


def test_a_sweep_takes_a_name_literally(redis_client: redis.Redis) -> None:
    keys = QueueKeys("bull", "[m]a*l?")
    redis_client.set(keys.deduplication("d"), "1")
    redis_client.set("bull:mall:de:d", "1")

    assert send(redis_client, Sweep(keys=keys)) == START
    assert redis_client.keys("*") == [b"bull:mall:de:d"]
