"""A pause and a resume bring two lists together, whoever left jobs in them."""

from typing import Any, Final

import pytest
import redis
from redis.exceptions import ResponseError
from tests.lua.sending import send

from toril.bullmq.operations.maintain.pause import Pause
from toril.bullmq.operations.maintain.resume import Resume
from toril.bullmq.wire.keys import QueueKeys
from toril.core.operation import Operation

KEYS: Final = QueueKeys("bull", "{mail}")
PAUSE: Final = Pause(keys=KEYS)
RESUME: Final = Resume(keys=KEYS)


def fill(client: redis.Redis, key: str, *ids: str) -> None:
    if ids:
        client.rpush(key, *ids)


def ids(client: redis.Redis, key: str) -> list[str]:
    found: Any = client.lrange(key, 0, -1)
    return [job_id.decode() for job_id in found]


@pytest.mark.parametrize("operation", [PAUSE, RESUME])
@pytest.mark.parametrize(
    ("waiting", "paused"),
    [
        ([], []),
        (["1"], []),
        ([], ["1"]),
        (["4", "3"], ["2", "1"]),
        (["5", "4", "3"], ["2", "1"]),
        (["5"], ["4", "3", "2", "1"]),
    ],
)
def test_all_jobs_end_in_one_list_in_the_order_of_both(
    redis_client: redis.Redis, operation: Operation[None], waiting: list[str], paused: list[str]
) -> None:
    fill(redis_client, KEYS.wait, *waiting)
    fill(redis_client, KEYS.paused, *paused)

    send(redis_client, operation)

    is_pause = operation is PAUSE
    assert ids(redis_client, KEYS.paused if is_pause else KEYS.wait) == waiting + paused
    assert ids(redis_client, KEYS.wait if is_pause else KEYS.paused) == []


def test_a_resume_without_a_paused_list_wakes_a_worker_for_what_waits(
    redis_client: redis.Redis,
) -> None:
    """BullMQ 6 leaves jobs in `wait` while it pauses, and 5 then resumes without a marker."""
    redis_client.hset(KEYS.meta, "paused", "1")
    fill(redis_client, KEYS.wait, "1")

    send(redis_client, RESUME)

    assert redis_client.zscore(KEYS.marker, "0") == 0


@pytest.mark.parametrize("operation", [PAUSE, RESUME])
@pytest.mark.parametrize("part", ["wait", "paused", "prioritized", "marker", "events", "meta"])
def test_a_key_of_a_foreign_type_is_found_before_anything_is_written(
    redis_client: redis.Redis, operation: Operation[None], part: str
) -> None:
    redis_client.hset(KEYS.meta, "paused", "1")
    fill(redis_client, KEYS.wait, "2")
    fill(redis_client, KEYS.paused, "1")
    redis_client.set(KEYS.base + part, "foreign")
    before = {key: redis_client.dump(key) for key in redis_client.scan_iter()}

    with pytest.raises(ResponseError, match="WRONGTYPE"):
        send(redis_client, operation)

    assert {key: redis_client.dump(key) for key in redis_client.scan_iter()} == before
