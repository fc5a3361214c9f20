"""Jobs that nobody runs are cancelled, or cannot be, with the reason."""

import pytest
import redis
from tests.integration.bullmq.rigs import KeyspaceGuard
from tests.support.servers import ValkeyServer

from toril import AsyncQueue, Cancellation
from toril.core.errors import (
    BadInputError,
    JobLockedError,
    JobNotFoundError,
    JobStateError,
    ScheduledJobError,
    ScriptError,
)

BASE = "bull:{mail}:"
OWN = "toril:{mail}:bull:{mail}:"


def take(client: redis.Redis, job_id: str, token: str) -> None:
    """As a worker does it that has this token."""
    client.rpoplpush(BASE + "wait", BASE + "active")
    client.set(f"{BASE}{job_id}:lock", token, px=60_000)


async def test_a_job_is_cancelled_wherever_it_waits(every_server: ValkeyServer) -> None:
    async with AsyncQueue("mail", every_server.url) as queue:
        jobs = await queue.add_many(
            [("a", 1), ("b", 2, {"delay": 60}), ("c", 3, {"priority": 7}), ("d", 4, {"lifo": True})]
        )
        await jobs[0].log("a row")
        for job in jobs:
            assert await job.cancel() is Cancellation.REMOVED
            with pytest.raises(JobNotFoundError):
                await queue.jobs.cancel(job.id)
        counts = await queue.counts()

    assert (counts.waiting, counts.delayed, counts.prioritized) == (0, 0, 0)
    with every_server.client() as client:
        assert not client.exists(BASE + "1", BASE + "1:logs")


async def test_a_job_of_a_paused_queue_is_cancelled(redis_url: str) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.pause()
        job = await queue.add("n")

        assert await job.cancel() is Cancellation.REMOVED
        await queue.resume()


async def test_who_has_a_lock_of_torils_is_told_and_others_cannot_be(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    keyspace.ignore("I5", "I29")
    async with AsyncQueue("mail", redis_url) as queue:
        ours, theirs = await queue.add("n"), await queue.add("n")
        take(redis_client, ours.id, "host-1-abcdef:x0:7")
        take(redis_client, theirs.id, "0e7a-uuid:7")

        assert await ours.cancel() is Cancellation.TOLD
        assert await theirs.cancel() is Cancellation.UNTOLD

    notes = OWN + "cancel:host-1-abcdef"
    assert redis_client.hgetall(notes) == {b"1": b"host-1-abcdef:x0:7"}
    assert 0 < redis_client.pttl(notes) <= 3_600_000
    for job_id in ("1", "2"):
        assert redis_client.hget(BASE + job_id, "defa") == b"cancelled"


async def test_a_reason_that_a_job_is_to_be_failed_for_stays(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    keyspace.ignore("I5", "I29")
    async with AsyncQueue("mail", redis_url) as queue:
        job = await queue.add("n")
        take(redis_client, job.id, "host-1-abcdef:x0:7")
        redis_client.hset(BASE + job.id, "defa", "child 7 failed")

        assert await job.cancel() is Cancellation.TOLD

    assert redis_client.hget(BASE + job.id, "defa") == b"child 7 failed"


async def test_nothing_is_changed_where_something_is_in_the_way(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    """A foreign key under the name of the notes, or of the lock."""
    keyspace.ignore("I5", "I25", "I28", "I29", "T1", "T2")
    async with AsyncQueue("mail", redis_url) as queue:
        job = await queue.add("n")
        take(redis_client, job.id, "host-1-abcdef:x0:7")
        redis_client.set(OWN + "cancel:host-1-abcdef", "no hash")
        with pytest.raises(ScriptError):
            await job.cancel()
        redis_client.delete(f"{BASE}{job.id}:lock")
        redis_client.hset(f"{BASE}{job.id}:lock", "no", "text")
        with pytest.raises(ScriptError):
            await job.cancel()

    assert redis_client.hget(BASE + job.id, "defa") is None


async def test_a_parent_of_which_a_child_runs_stays(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    keyspace.ignore("I5", "I29")
    async with AsyncQueue("mail", redis_url) as queue:
        parent, child = await queue.add("p", job_id="p"), await queue.add("c", job_id="c")
        redis_client.lrem(BASE + "wait", 0, "p")
        redis_client.zadd(BASE + "waiting-children", {"p": 1})
        redis_client.sadd(BASE + "p:dependencies", BASE + "c")
        redis_client.hset(BASE + "c", "parentKey", BASE + "p")
        take(redis_client, child.id, "host-1-abcdef:x0:7")
        with pytest.raises(JobLockedError, match="its child"):
            await parent.cancel()
        assert redis_client.hget(BASE + "p", "defa") is None
        redis_client.delete(BASE + "c:lock")

        assert await parent.cancel() is Cancellation.REMOVED
        assert (await queue.counts()).active == 0


async def test_the_next_job_of_a_scheduler_stays(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    keyspace.ignore("I21", "I22", "I23", "I24", "I25", "I29", "I18")
    job_id = "repeat:nightly:1700000000000"
    async with AsyncQueue("mail", redis_url) as queue:
        job = await queue.add("n")
        redis_client.rename(BASE + job.id, BASE + job_id)
        redis_client.lrem(BASE + "wait", 0, job.id)
        redis_client.lpush(BASE + "wait", job_id)
        redis_client.hset(BASE + job_id, "rjk", "nightly")
        redis_client.zadd(BASE + "repeat", {"nightly": 1_700_000_000_000})
        with pytest.raises(ScheduledJobError):
            await queue.jobs.cancel(job_id)
        redis_client.zadd(BASE + "repeat", {"nightly": 1_800_000_000_000})

        assert await queue.jobs.cancel(job_id) is Cancellation.REMOVED
        redis_client.delete(BASE + "repeat")


async def test_what_has_ended_stays(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    keyspace.ignore("I29")
    async with AsyncQueue("mail", redis_url) as queue:
        job = await queue.add("n")
        redis_client.lrem(BASE + "wait", 0, job.id)
        redis_client.zadd(BASE + "completed", {job.id: 1})
        redis_client.hset(BASE + job.id, mapping={"finishedOn": 1, "returnvalue": "null"})

        with pytest.raises(JobStateError, match="job '1' is completed, not unfinished"):
            await job.cancel()


@pytest.mark.parametrize("job_id", ["", "a:b", "wait", "meta", "x" * 256])
async def test_an_id_that_no_job_can_have_is_refused(redis_url: str, job_id: str) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        with pytest.raises((BadInputError, JobNotFoundError)):
            await queue.jobs.cancel(job_id)
        with pytest.raises(BadInputError):
            await queue.jobs.cancel(7)  # type: ignore[arg-type]
