"""Jobs that are removed by hand, with their families, and what must stay."""

import pytest
import redis
from tests.integration.bullmq.rigs import KeyspaceGuard
from tests.support.servers import ValkeyServer

from toril import AsyncQueue
from toril.core.errors import BadInputError, JobLockedError, JobNotFoundError, ScheduledJobError

BASE = "bull:{mail}:"


def make_family(client: redis.Redis, parent: str, *children: str) -> None:
    """Let jobs that were added be a parent that waits, and its children."""
    client.lrem(BASE + "wait", 0, parent)
    client.zadd(BASE + "waiting-children", {parent: 1})
    for child in children:
        client.sadd(f"{BASE}{parent}:dependencies", BASE + child)
        client.hset(BASE + child, "parentKey", BASE + parent)


async def test_a_job_is_removed_on_every_server(every_server: ValkeyServer) -> None:
    async with AsyncQueue("mail", every_server.url) as queue:
        job = await queue.add("n", delay=60)
        await job.log("row")

        assert await job.remove()
        assert not await job.remove()
        assert await job.state() is None

    with every_server.client() as client:
        assert not client.exists(BASE + "1", BASE + "1:logs", BASE + "delayed")


async def test_a_job_that_a_worker_has_stays(redis_url: str, redis_client: redis.Redis) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        job = await queue.add("n")
        redis_client.rpoplpush(BASE + "wait", BASE + "active")
        redis_client.set(BASE + "1:lock", "token")
        with pytest.raises(JobLockedError, match="job '1' cannot be removed: a worker has it"):
            await job.remove()
        with pytest.raises(JobLockedError):
            await job.remove(children=False)
        redis_client.delete(BASE + "1:lock")

        assert await job.remove()


async def test_a_parent_stays_while_a_worker_has_one_of_its_children(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    keyspace.ignore("I29")
    async with AsyncQueue("mail", redis_url) as queue:
        for job_id in ("p", "a", "b"):
            await queue.add("n", job_id=job_id)
        make_family(redis_client, "p", "a", "b")
        redis_client.lrem(BASE + "wait", 0, "b")
        redis_client.lpush(BASE + "active", "b")
        redis_client.set(BASE + "b:lock", "token")
        with pytest.raises(JobLockedError, match=r"its child 'bull:\{mail\}:b'") as refusal:
            await queue.jobs.remove("p")
        redis_client.delete(BASE + "b:lock")

        assert (refusal.value.job_id, refusal.value.locked) == ("p", BASE + "b")
        assert await queue.jobs.remove("p")

    assert not redis_client.keys(BASE + "[pab]*")


async def test_a_child_that_has_ended_and_runs_again_is_not_removed_under_its_worker(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    keyspace.ignore("I29")
    async with AsyncQueue("mail", redis_url) as queue:
        for job_id in ("p", "a"):
            await queue.add("n", job_id=job_id)
        redis_client.hset(BASE + "p:processed", BASE + "a", "1")
        redis_client.rpoplpush(BASE + "wait", BASE + "active")
        redis_client.set(BASE + "a:lock", "token")
        with pytest.raises(JobLockedError):
            await queue.jobs.remove("p")

        redis_client.delete(BASE + "a:lock")
        assert await queue.jobs.remove("p")


async def test_children_that_are_their_own_parents_are_removed_once(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    keyspace.ignore("I29")
    async with AsyncQueue("mail", redis_url) as queue:
        for job_id in ("p", "a"):
            await queue.add("n", job_id=job_id)
        make_family(redis_client, "p", "a")
        make_family(redis_client, "a", "p", "a")
        redis_client.sadd(BASE + "a:dependencies", BASE + "gone")

        assert await queue.jobs.remove("p")

    assert not redis_client.exists(*(BASE + name for name in ("p", "a", "wait")))


async def test_the_next_job_of_a_scheduler_stays(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    job_id = "repeat:nightly:1700000000000"
    keyspace.ignore("I23", "I24")
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add("n", delay=60)
        redis_client.rename(BASE + "1", BASE + job_id)
        redis_client.hset(BASE + job_id, "rjk", "nightly")
        redis_client.zrem(BASE + "delayed", "1")
        redis_client.lpush(BASE + "wait", job_id)
        redis_client.zadd(BASE + "repeat", {"nightly": 1_700_000_000_000})
        with pytest.raises(ScheduledJobError, match="the next one of job scheduler 'nightly'"):
            await queue.jobs.remove(job_id)
        redis_client.delete(BASE + "repeat")

        assert await queue.jobs.remove(job_id)


async def test_an_id_without_a_job_is_cleared_away(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add("n")
        redis_client.delete(BASE + "1")

        assert not await queue.jobs.remove("1")

    assert not redis_client.exists(BASE + "wait")


@pytest.mark.parametrize("job_id", ["wait", "meta", "id", "events", "repeat:nightly", "dn:same"])
async def test_what_is_no_job_is_not_removed(
    redis_url: str, redis_client: redis.Redis, job_id: str
) -> None:
    for name in ("repeat:nightly", "dn:same"):
        redis_client.hset(BASE + name, mapping={"name": "n", "data": "1", "opts": "{}", "ic": 1})
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add("n")
        before = [redis_client.dump(key) for key in sorted(redis_client.keys(BASE + "*"))]

        assert not await queue.jobs.remove(job_id)

    assert before == [redis_client.dump(key) for key in sorted(redis_client.keys(BASE + "*"))]
    redis_client.delete(BASE + "repeat:nightly", BASE + "dn:same")


async def test_a_relative_that_is_no_job_stays_as_it_is(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    keyspace.ignore("I29", "I24", "I30")
    redis_client.set("elsewhere:1", "foreign")
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add("n", job_id="p")
        redis_client.sadd(BASE + "p:dependencies", "elsewhere:1", "no colon", BASE + "wait")
        redis_client.set(BASE + "p:processed", "foreign")
        redis_client.hset(BASE + "p", "parentKey", "elsewhere:1")

        assert await queue.jobs.remove("p")

    assert redis_client.get("elsewhere:1") == b"foreign"
    assert not redis_client.exists(BASE + "p:processed", BASE + "p:dependencies", BASE + "wait")
    redis_client.delete("elsewhere:1")


async def test_a_choice_that_is_none_is_refused(redis_url: str) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        with pytest.raises(BadInputError, match="children: 1 is neither True nor False"):
            await queue.jobs.remove("1", children=1)  # type: ignore[arg-type]


async def test_a_parent_that_runs_can_complete_without_its_pending_children(
    every_server: ValkeyServer,
) -> None:
    with every_server.client() as client:
        async with AsyncQueue("mail", every_server.url) as queue:
            parent = await queue.add("n", job_id="p", delay=60)
            for job_id in ("a", "b"):
                await queue.add("n", job_id=job_id)
                client.sadd(BASE + "p:dependencies", BASE + job_id)
                client.hset(BASE + job_id, "parentKey", BASE + "p")

            assert await queue.jobs.leave_parent("a")
            assert not await queue.jobs.leave_parent("a")
            assert await parent.remove_pending_children() == 1
            assert await parent.remove_pending_children() == 0
            assert await queue.jobs.state("a") == "waiting"

        assert not client.exists(BASE + "b", BASE + "p:dependencies")
        assert not client.hexists(BASE + "a", "parentKey")


async def test_who_is_not_there_has_no_family(redis_url: str, redis_client: redis.Redis) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        job = await queue.add("n")
        redis_client.hset(BASE + "1", "parentKey", BASE + "gone")

        assert not await job.leave_parent()
        with pytest.raises(JobNotFoundError):
            await queue.jobs.leave_parent("9")
        with pytest.raises(JobNotFoundError):
            await queue.jobs.remove_pending_children("9")
