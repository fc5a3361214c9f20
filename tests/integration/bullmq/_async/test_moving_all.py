"""All jobs of a state are moved in bounded requests, and none of them is lost or moved twice."""

from datetime import UTC, datetime, timedelta

import pytest
import redis
from tests.lua.sending import send
from tests.support.servers import ValkeyServer

from toril import AsyncQueue
from toril.bullmq.operations.claim.claim import Claim, ClaimTerms
from toril.bullmq.operations.finish.finish_jobs import FinishJobs
from toril.bullmq.operations.finish.settlement import Finish
from toril.bullmq.operations.sender import Sender
from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import BadInputError, ScriptError

KEYS = QueueKeys("bull", "{mail}")
BASE = KEYS.base
TERMS = ClaimTerms(max_bytes=10**6, lock_ms=60_000)


def fail_all(client: redis.Redis, count: int) -> None:
    """Let as many jobs fail as wait."""
    sender = Sender(KEYS, "failing")
    for sequence in range(1, count, 100):
        send(client, Claim(sender=sender, sequence=sequence, want=100, terms=TERMS))
        ids = [job_id.decode() for job_id in client.lrange(KEYS.active, 0, -1)]
        finishes = [
            Finish(id=job_id, token=sender.token(sequence), kind="failed", text="no")
            for job_id in ids
        ]
        send(
            client,
            FinishJobs(
                sender=sender, sequence=sequence + 1, finishes=finishes, want=0, terms=TERMS
            ),
        )


async def test_all_delayed_jobs_are_promoted_on_every_server(every_server: ValkeyServer) -> None:
    async with AsyncQueue("mail", every_server.url) as queue:
        await queue.add_many(("n", number, {"delay": 60 + number}) for number in range(5))

        assert await queue.jobs.promote_all() == 5
        assert await queue.jobs.promote_all() == 0

    with every_server.client() as client:
        assert client.lrange(f"{BASE}wait", 0, -1) == [b"5", b"4", b"3", b"2", b"1"]


async def test_more_jobs_than_fit_into_one_request_are_promoted(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add_many(("n", None, {"delay": 60}) for _ in range(2_500))

        assert await queue.jobs.promote_all() == 2_500

    assert redis_client.llen(f"{BASE}wait") == 2_500
    assert redis_client.lindex(f"{BASE}wait", -1) == b"1"


async def test_ids_without_a_job_are_dropped_on_the_way(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add("n", delay=60)
        redis_client.zadd(f"{BASE}delayed", {"ghost": 1})

        assert await queue.jobs.promote_all() == 1

        redis_client.zadd(f"{BASE}failed", {"ghost": 1})

        assert await queue.jobs.retry_all() == 0

    assert redis_client.lrange(f"{BASE}wait", 0, -1) == [b"1"]
    assert not redis_client.exists(f"{BASE}delayed", f"{BASE}failed", f"{BASE}ghost")


async def test_more_failed_jobs_than_fit_into_one_request_run_again(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add_many(("n", None, {"attempts": 1}) for _ in range(2_300))
        fail_all(redis_client, 2_300)
        assert (await queue.counts()).failed == 2_300

        assert await queue.jobs.retry_all() == 2_300

        counts = await queue.counts()
    assert (counts.failed, counts.waiting) == (0, 2_300)


async def test_jobs_that_ended_later_than_asked_for_stay(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add("n", attempts=1)
        fail_all(redis_client, 1 + 1)

        hour_ago = datetime.now(UTC) - timedelta(hours=1)

        assert await queue.jobs.retry_all(before=hour_ago) == 0
        assert await queue.jobs.retry_all("failed", before=datetime.now(UTC)) == 1


async def test_what_cannot_be_meant_is_refused_before_anything_is_sent(redis_url: str) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        with pytest.raises(BadInputError, match="state: 'active' is not one of failed, completed"):
            await queue.jobs.retry_all("active")  # type: ignore[arg-type]
        with pytest.raises(BadInputError, match=r"before: .* no time zone"):
            await queue.jobs.retry_all(before=datetime(2026, 1, 1))  # noqa: DTZ001
        with pytest.raises(BadInputError, match="before: 5 is not a datetime"):
            await queue.jobs.retry_all(before=5)  # type: ignore[arg-type]
        with pytest.raises(BadInputError, match="max_length: -1 is not a whole number"):
            await queue.trim_events(-1)


async def test_the_event_stream_is_shortened(redis_url: str, redis_client: redis.Redis) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add_many(("n", None) for _ in range(500))

        removed = await queue.trim_events(300)

    assert removed > 0
    assert 300 <= redis_client.xlen(f"{BASE}events") == 1_000 - removed < 450


async def test_a_queue_with_jobs_of_a_foreign_type_is_left_alone(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add("n", delay=60)
        redis_client.set(f"{BASE}wait", "foreign")

        with pytest.raises(ScriptError, match="WRONGTYPE"):
            await queue.jobs.promote_all()

        assert redis_client.zcard(f"{BASE}delayed") == 1
        redis_client.delete(f"{BASE}wait")
