"""A deduplication id keeps the likes of a job out; it is always somebody's, and never lost."""

import pytest
import redis
from tests.integration.bullmq.rigs import KeyspaceGuard
from tests.support.servers import ValkeyServer

from toril import AsyncQueue, Deduplication
from toril.bullmq import Counts
from toril.core.errors import AddError, BadInputError

BASE = "bull:{mail}:"
NOTHING = Counts(0, 0, 0, 0, 0, 0, 0, 0)
SAME = Deduplication("same")
LAST = Deduplication("same", keep_last_if_active=True)


async def test_every_mode_works_on_every_server(every_server: ValkeyServer) -> None:
    modes = {
        "simple": Deduplication("simple"),
        "ttl": Deduplication("ttl", ttl=30),
        "extend": Deduplication("extend", ttl=30, extend=True),
        "replace": Deduplication("replace", ttl=30, replace=True),
        "last": Deduplication("last", keep_last_if_active=True),
    }
    async with AsyncQueue("mail", every_server.url) as queue:
        for name, mode in modes.items():
            first = await queue.add(name, deduplication=mode, delay=60)
            second = await queue.add(name, deduplication=mode, delay=60)
            owner = await queue.deduplication_owner(name)

            assert first.created
            assert second.created is (name == "replace")
            assert owner == (second.id if second.created else first.id) == second.id
        counts = await queue.counts()

    assert counts.delayed == len(modes)


async def test_an_id_can_be_freed_by_hand(redis_url: str) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        assert await queue.deduplication_owner("same") is None
        assert not await queue.remove_deduplication("same")
        await queue.add("n", deduplication=SAME)
        assert await queue.remove_deduplication("same")
        second = await queue.add("n", deduplication=SAME)

    assert second.created


@pytest.mark.parametrize("wrong", ["", "a\nb", 5, None])
async def test_what_can_be_no_id_is_refused(redis_url: str, wrong: object) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        with pytest.raises(BadInputError, match=r"deduplication\.id"):
            await queue.deduplication_owner(wrong)  # type: ignore[arg-type]
        with pytest.raises(BadInputError, match=r"deduplication\.id"):
            await queue.remove_deduplication(wrong)  # type: ignore[arg-type]


async def test_an_id_that_points_to_no_job_does_not_swallow_jobs_for_ever(
    redis_url: str, redis_client: redis.Redis
) -> None:
    redis_client.set(BASE + "de:same", "17")
    async with AsyncQueue("mail", redis_url) as queue:
        job = await queue.add("n", deduplication=SAME)
        owner = await queue.deduplication_owner("same")

    assert job.created
    assert owner == job.id


async def test_of_many_delayed_jobs_in_one_call_the_last_one_stays(
    redis_url: str, redis_client: redis.Redis
) -> None:
    newest = Deduplication("same", replace=True)
    async with AsyncQueue("mail", redis_url) as queue:
        jobs = await queue.add_many(
            [("n", number, {"delay": 60, "deduplication": newest}) for number in range(5)]
        )

    assert all(job.created for job in jobs)
    assert redis_client.zrange(BASE + "delayed", 0, -1) == [b"5"]
    assert not redis_client.exists(*(f"{BASE}{number}" for number in range(1, 5)))


async def test_an_idempotency_key_answers_before_the_deduplication(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        first = await queue.add("n", deduplication=SAME, idempotency_key="first")
        kept_out = await queue.add("n", deduplication=SAME, idempotency_key="second")
        await queue.remove_deduplication("same")
        again = await queue.add("n", deduplication=SAME, idempotency_key="second")

    assert [(job.id, job.created) for job in (first, kept_out, again)] == [
        ("1", True),
        ("1", False),
        ("1", False),
    ]
    assert redis_client.llen(BASE + "wait") == 1


async def test_jobs_are_kept_for_the_owner_and_the_newest_counts(
    redis_url: str, redis_client: redis.Redis
) -> None:
    redis_client.lpush(BASE + "active", "own")
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add("n", 1, deduplication=LAST, job_id="own")
        redis_client.lrem(BASE + "wait", 1, "own")
        kept = [await queue.add("n", number, deduplication=LAST) for number in (2, 3)]
        stored = redis_client.hgetall(BASE + "dn:same")
        redis_client.delete(BASE + "active")
        redis_client.lpush(BASE + "wait", "own")

    assert [(job.id, job.created) for job in kept] == [("own", False)] * 2
    assert stored[b"data"] == b"3"
    assert stored[b"jid"] == b"3"


async def test_a_job_that_an_old_worker_left_kept_goes_when_a_newer_one_is_added(
    redis_url: str, redis_client: redis.Redis
) -> None:
    redis_client.hset(BASE + "dn:same", mapping={"name": "n", "data": "1", "opts": "{}"})
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add("n", 2, deduplication=SAME)

    assert not redis_client.exists(BASE + "dn:same")


@pytest.mark.parametrize("part", ["de:same", "active", "id", "pc", "delayed", "events"])
async def test_a_key_of_a_foreign_type_is_seen_before_anything_is_written(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard, part: str
) -> None:
    keyspace.ignore("I3", "I25")
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.counts()
        redis_client.sadd(BASE + part, "foreign")
        with pytest.raises(AddError):
            await queue.add_many([("n", 1), ("n", 2, {"deduplication": LAST})])
        redis_client.delete(BASE + part)

        assert await queue.counts() == NOTHING
    assert redis_client.keys(BASE + "*") == [BASE.encode() + b"meta"]
