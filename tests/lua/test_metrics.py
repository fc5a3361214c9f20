"""Ends are counted by the minute, many at once and whatever the keys hold."""

from collections.abc import Sequence
from typing import Any, Final

import pytest
import redis
from tests.lua.sending import send

from toril.bullmq.operations.add.add_jobs import AddJobs, NewJob
from toril.bullmq.operations.claim.claim import Claim, ClaimTerms
from toril.bullmq.operations.finish.finish_jobs import CLAIMS_NOTHING, Finished, FinishJobs
from toril.bullmq.operations.finish.settlement import Finish, Verdict
from toril.bullmq.operations.sender import Sender
from toril.bullmq.wire.keys import QueueKeys

KEYS: Final = QueueKeys("bull", "{mail}")
SENDER: Final = Sender(KEYS, "w")
MINUTE_MS: Final = 60_000
NOW_MS: Final = 28_333_333 * MINUTE_MS
TOKEN: Final = SENDER.token(1)
COUNTED: Final = KEYS.metrics("completed")
MINUTES: Final = KEYS.metrics_data("completed")


@pytest.fixture
def client(redis_client: redis.Redis) -> redis.Redis:
    """Nine jobs run."""
    jobs = [NewJob(id="", name="n", data="1", opts="{}")] * 9
    send(redis_client, AddJobs(keys=KEYS, producer="p", sequence=1, jobs=jobs, clock_ms=NOW_MS))
    terms = ClaimTerms(max_bytes=10**6, lock_ms=10**6)
    send(redis_client, Claim(sender=SENDER, sequence=1, want=9, terms=terms, clock_ms=NOW_MS))
    return redis_client


def completed(*job_ids: int) -> list[Finish]:
    return [Finish(id=str(one), token=TOKEN, kind="completed", text="1") for one in job_ids]


def end(
    client: redis.Redis, finishes: Sequence[Finish], *, after_ms: int = 0, size: int = 5
) -> list[Verdict]:
    """End these jobs in one request, so long after they began."""
    reply = send(
        client,
        FinishJobs(
            sender=SENDER,
            sequence=2,
            finishes=finishes,
            want=CLAIMS_NOTHING,
            terms=ClaimTerms(max_bytes=999, lock_ms=9_999, metrics_size=size),
            clock_ms=NOW_MS + after_ms,
        ),
    )
    assert isinstance(reply, Finished)
    return list(reply.verdicts)


def counted(client: redis.Redis, key: str = COUNTED) -> dict[str, int]:
    stored: Any = client.hgetall(key)
    return {name.decode(): int(value) for name, value in stored.items()}


def minutes(client: redis.Redis) -> list[int]:
    stored: Any = client.lrange(MINUTES, 0, -1)
    return [int(count) for count in stored]


def test_jobs_that_end_together_are_in_one_minute(client: redis.Redis) -> None:
    end(client, completed(1, 2, 3))
    end(client, completed(4, 5), after_ms=MINUTE_MS - 1)

    assert counted(client) == {"count": 5, "prevTS": NOW_MS, "prevCount": 0}
    assert minutes(client) == []

    end(client, completed(6, 7), after_ms=MINUTE_MS)

    assert counted(client) == {"count": 7, "prevTS": NOW_MS + MINUTE_MS, "prevCount": 5}
    assert minutes(client) == [5]


def test_each_kind_is_counted_apart(client: redis.Redis) -> None:
    failed = Finish(id="3", token=TOKEN, kind="failed", text="no", attempts=1)

    end(client, [*completed(1, 2), failed])

    assert counted(client)["count"] == 2
    assert counted(client, KEYS.metrics("failed"))["count"] == 1


def test_an_end_that_is_refused_is_not_counted(client: redis.Redis) -> None:
    stranger = Finish(id="2", token="another", kind="completed", text="1")  # noqa: S106

    assert end(client, [*completed(1), stranger]) == [Verdict.STORED, Verdict.LOCK_LOST]
    assert counted(client)["count"] == 1


def test_nothing_is_counted_unless_somebody_asks(client: redis.Redis) -> None:
    end(client, completed(1), size=0)

    assert not client.exists(COUNTED)


@pytest.mark.parametrize("size", [1, 2, 999, 1_000, 1_001, 44_640])
def test_a_long_rest_is_as_many_empty_minutes_as_are_kept(client: redis.Redis, size: int) -> None:
    end(client, completed(1, 2), size=size)
    end(client, completed(3), after_ms=60 * 24 * 3_600_000, size=size)

    assert minutes(client) == [*[0] * (size - 1), 2]


def test_a_clock_that_goes_back_closes_no_minute(client: redis.Redis) -> None:
    end(client, completed(1))
    end(client, completed(2), after_ms=-5 * MINUTE_MS)

    assert counted(client) == {"count": 2, "prevTS": NOW_MS, "prevCount": 0}
    assert minutes(client) == []


@pytest.mark.parametrize(
    "foreign",
    [
        ("SET", COUNTED, "foreign"),
        ("HSET", COUNTED, "count", "many"),
        ("HSET", COUNTED, "count", "1", "prevTS", "1", "prevCount", "some"),
        ("HSET", COUNTED, "count", "1", "prevTS", "long ago"),
    ],
)
def test_foreign_keys_keep_no_job_from_ending(
    client: redis.Redis, foreign: tuple[str, ...]
) -> None:
    client.execute_command(*foreign)

    assert end(client, completed(1, 2)) == [Verdict.STORED] * 2
    assert client.zcard(KEYS.completed) == 2


def test_a_foreign_list_keeps_no_job_from_ending(client: redis.Redis) -> None:
    end(client, completed(1))
    client.set(MINUTES, "foreign")

    assert end(client, completed(2), after_ms=MINUTE_MS) == [Verdict.STORED]
    assert counted(client)["count"] == 2
