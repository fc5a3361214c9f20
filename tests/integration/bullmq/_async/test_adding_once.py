"""With an idempotency key a job is added once, whoever asks again, and whenever."""

import pytest
import redis
from tests.integration.bullmq.rigs import KeyspaceGuard

from toril import AsyncQueue
from toril.bullmq import Counts
from toril.core.errors import AddError

NOTHING = Counts(0, 0, 0, 0, 0, 0, 0, 0)
REMEMBERED = "toril:{mail}:bull:{mail}:once:"


async def test_the_same_key_again_answers_with_the_first_job_and_makes_none(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        first = await queue.add("n", "first", idempotency_key="order 7")
        other = await queue.add("n", "other", idempotency_key="order 8")
        again = await queue.add("n", "again", idempotency_key="order 7")
        stored = await queue.get_job(again.id)
        counts = await queue.counts()

    assert [(job.id, job.created) for job in (first, other, again)] == [
        ("1", True),
        ("2", True),
        ("1", False),
    ]
    assert stored is not None
    assert stored.data == "first"
    assert counts.waiting == 2
    assert redis_client.get("bull:{mail}:id") == b"2"
    assert len(redis_client.xrange("bull:{mail}:events")) == 4


async def test_another_queue_object_knows_the_key(redis_url: str) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        first = await queue.add("n", idempotency_key="order 7")
    async with AsyncQueue("mail", redis_url) as queue:
        again = await queue.add("n", idempotency_key="order 7")

    assert (again.id, again.created) == (first.id, False)


async def test_another_queue_has_keys_of_its_own(redis_url: str) -> None:
    async with AsyncQueue("mail", redis_url) as mail, AsyncQueue("bills", redis_url) as bills:
        one = await mail.add("n", idempotency_key="order 7")
        two = await bills.add("n", idempotency_key="order 7")

    assert one.created
    assert two.created


async def test_the_jobs_of_one_call_may_share_a_key_and_more_than_a_request_takes(
    redis_url: str,
) -> None:
    specs = [("n", number, {"idempotency_key": f"k{number % 1_200}"}) for number in range(2_400)]
    async with AsyncQueue("mail", redis_url) as queue:
        jobs = await queue.add_many(specs)  # type: ignore[arg-type]
        counts = await queue.counts()

    assert [job.id for job in jobs[1_200:]] == [job.id for job in jobs[:1_200]]
    assert [job.created for job in jobs] == [True] * 1_200 + [False] * 1_200
    assert counts.waiting == 1_200


async def test_a_key_outlives_its_job(redis_url: str, redis_client: redis.Redis) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add("n", idempotency_key="k")
        redis_client.delete("bull:{mail}:1", "bull:{mail}:wait")
        again = await queue.add("n", idempotency_key="k")

        assert (again.id, again.created) == ("1", False)
        assert await queue.get_job("1") is None


async def test_a_key_is_remembered_for_a_day_or_as_long_as_is_said(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add("n", idempotency_key="usual")
        await queue.add("n", idempotency_key="short", idempotency_ttl=60)
        await queue.add("n", idempotency_key="short", idempotency_ttl=3_600)

    assert 86_390_000 < redis_client.pttl(REMEMBERED + "usual") <= 86_400_000
    assert 50_000 < redis_client.pttl(REMEMBERED + "short") <= 60_000


async def test_a_key_that_is_forgotten_makes_a_job_again(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add("n", idempotency_key="k")
        redis_client.pexpire(REMEMBERED + "k", 0)
        again = await queue.add("n", idempotency_key="k")

    assert (again.id, again.created) == ("2", True)


async def test_it_goes_before_the_job_id_and_remembers_what_stood_for_the_job(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add("n", job_id="own")
        duplicate = await queue.add("n", job_id="own", idempotency_key="k")
        again = await queue.add("n", job_id="another", idempotency_key="k")

    assert [(job.id, job.created) for job in (duplicate, again)] == [("own", False)] * 2
    assert not redis_client.exists("bull:{mail}:another")


async def test_a_key_of_a_foreign_type_is_seen_before_anything_is_written(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    keyspace.ignore("T1", "T2")
    redis_client.hset(REMEMBERED + "k", "a", "b")
    async with AsyncQueue("mail", redis_url) as queue:
        with pytest.raises(AddError):
            await queue.add_many([("n", 1), ("n", 2, {"idempotency_key": "k"})])
        counts = await queue.counts()

    assert counts == NOTHING
    assert not redis_client.exists("bull:{mail}:id", "bull:{mail}:events")


async def test_a_job_without_a_key_leaves_nothing_behind(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add("n")

    assert redis_client.keys(REMEMBERED + "*") == []
