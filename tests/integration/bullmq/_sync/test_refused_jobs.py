"""What would hurt somebody later is refused now, with its name, and nothing is sent of it."""  # generated from _async/test_refused_jobs.py by tools/generate_sync.py: edit that file

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
import redis
from tests.integration.bullmq.rigs import KeyspaceGuard

from toril import Queue
from toril.bullmq import Keep
from toril.core.backoff import Backoff
from toril.core.errors import BadInputError, ScriptError
from toril.core.ids import RESERVED_JOB_IDS

CYCLE: list[Any] = []
CYCLE.append(CYCLE)

REFUSED_OPTIONS = [
    # Ids that would overwrite a key of the queue, or be counted by it.
    *({"job_id": job_id} for job_id in sorted(RESERVED_JOB_IDS)),
    {"job_id": "5"},
    {"job_id": "-5"},
    {"job_id": "0"},
    {"job_id": "0:a:b"},
    {"job_id": "a:b"},
    {"job_id": "de:x"},
    {"job_id": "metrics:completed:data"},
    {"job_id": ""},
    {"job_id": "x" * 256},
    {"job_id": "a\x00b"},
    {"job_id": "a\nb"},
    {"job_id": 5},
    {"job_id": b"own"},
    # Numbers that the other side would read as something else.
    {"delay": -1},
    {"delay": float("nan")},
    {"delay": float("inf")},
    {"delay": 1e18},
    {"delay": "100"},
    {"delay": True},
    {"delay": timedelta(days=4_000)},
    {"delay": timedelta(days=3_000), "timestamp": datetime(2035, 1, 1, tzinfo=UTC)},
    {"priority": -1},
    {"priority": 1.5},
    {"priority": 2**21},
    {"priority": "5"},
    {"attempts": -1},
    {"attempts": "3"},
    {"attempts": float("inf")},
    {"attempts": None},
    {"backoff": "exponential"},
    {"backoff": {"type": "fixed", "delay": 5}},
    {"backoff": -1},
    {"lifo": "yes"},
    {"lifo": 1},
    {"remove_on_complete": -1},
    {"remove_on_complete": None},
    {"remove_on_fail": {"count": 5}},
    {"remove_on_fail": Keep(count=-1)},
    {"size_limit": 1},
    {"size_limit": 7.5},
    {"deduplication": {"id": "d"}},
    {"deduplication": "d"},
    {"idempotency_key": ""},
    {"idempotency_key": 7},
    {"idempotency_ttl": 60},
    {"idempotency_key": "k", "idempotency_ttl": 0},
    # Options that do not exist here.
    {"repeat": {"every": 1_000}},
    {"jobId": "own"},
    {"debounce": {"id": "d"}},
]

REFUSED_DATA = [
    {1, 2},
    b"bytes",
    datetime(2030, 1, 1, tzinfo=UTC),
    Decimal("1.5"),
    object(),
    CYCLE,
    float("nan"),
    float("-inf"),
    2**53,
    10**5_000,
    {1: "a", "1": "b"},
    {None: 1},
    {"text": "\ud800"},
    "x" * (10 * 2**20),
]

ODD_BUT_FINE = [
    ("007", {}),
    ("1e3", {"__proto__": {"admin": True}, "constructor": 1}),
    ("١٢", "text"),
    ("x y", None),
    ("00", [1.0, -0.0, 1e21, 2**53 - 1]),
    ("Wait", {"": ""}),
    ("wait ", {"a": {"b": [[[[]]]]}}),
]


@pytest.mark.parametrize("options", REFUSED_OPTIONS, ids=repr)
def test_an_option_is_refused_alone_and_among_others(
    redis_url: str, redis_client: redis.Redis, options: dict[str, Any]
) -> None:
    with Queue("mail", redis_url) as queue:
        with pytest.raises(BadInputError) as alone:
            queue.add("n", {}, **options)
        with pytest.raises(BadInputError) as among_others:
            queue.add_many([("n", 1), ("n", {}, options)])  # type: ignore[list-item]

    assert alone.value.field.partition(".")[0] in options
    assert among_others.value.field == f"jobs[1].{alone.value.field}"
    assert redis_client.dbsize() == 0


@pytest.mark.parametrize("data", REFUSED_DATA, ids=lambda data: type(data).__name__)
def test_data_is_refused_alone_and_inside_of_something(
    redis_url: str, redis_client: redis.Redis, data: object
) -> None:
    with Queue("mail", redis_url) as queue:
        with pytest.raises(BadInputError, match=r"^data"):
            queue.add("n", data)
        with pytest.raises(BadInputError, match=r"^jobs\[1\]\.data"):
            queue.add_many([("n", 1), ("n", {"items": [data]})])

    assert redis_client.dbsize() == 0


@pytest.mark.parametrize("name", ["", "x" * 256, "a\nb", "\ud800", None, 7, b"n"], ids=repr)
def test_a_name_is_refused(redis_url: str, redis_client: redis.Redis, name: object) -> None:
    with Queue("mail", redis_url) as queue:
        with pytest.raises(BadInputError, match=r"^name"):
            queue.add(name, {})  # type: ignore[arg-type]

    assert redis_client.dbsize() == 0


def test_the_levels_of_data_have_a_limit(redis_url: str, redis_client: redis.Redis) -> None:
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    with Queue("mail", redis_url) as queue:
        with pytest.raises(BadInputError, match="200"):
            queue.add("n", deep)

    assert redis_client.dbsize() == 0


@pytest.mark.parametrize(("job_id", "data"), ODD_BUT_FINE)
def test_what_only_looks_odd_is_stored_as_it_is(
    redis_url: str, job_id: str, data: object
) -> None:
    with Queue("mail", redis_url) as queue:
        job = queue.add("n", data, job_id=job_id, backoff=Backoff.fixed(0))
        stored = queue.get_job(job_id)

    assert job.id == job_id
    assert stored is not None
    assert stored.data == data


@pytest.mark.parametrize("key", ["wait", "paused", "delayed", "prioritized", "marker", "events"])
def test_a_queue_that_somebody_has_spoilt_is_not_written_to(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard, key: str
) -> None:
    """As BullMQ does when a job is given the id of one of the queue's keys."""
    keyspace.ignore("I3", "I8", "I25")
    with Queue("mail", redis_url) as queue:
        queue.counts()
        redis_client.hset(f"bull:{{mail}}:{key}", "name", "n")
        before = redis_client.keys("*")
        with pytest.raises(ScriptError, match="WRONGTYPE"):
            queue.add("n")
        redis_client.delete(f"bull:{{mail}}:{key}")

    assert set(redis_client.keys("*")) - {b"bull:{mail}:meta"} <= set(before)
