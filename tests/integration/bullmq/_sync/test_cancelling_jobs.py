"""Jobs that nobody runs are cancelled, or cannot be, with the reason."""  # generated from _async/test_cancelling_jobs.py by tools/generate_sync.py: edit that file

import pytest
import redis
from tests.integration.bullmq.rigs import KeyspaceGuard
from tests.support.servers import ValkeyServer

from toril import Queue, Cancellation
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


def test_a_job_is_cancelled_wherever_it_waits(every_server: ValkeyServer) -> None:
    with Queue("mail", every_server.url) as queue:
        jobs = queue.add_many(
            [("a", 1), ("b", 2, {"delay": 60}), ("c", 3, {"priority": 7}), ("d", 4, {"lifo": True})]
        )
        jobs[0].log("a row")
        for job in jobs:
            assert job.cancel() is Cancellation.REMOVED
            with pytest.raises(JobNotFoundError):
                queue.jobs.cancel(job.id)
        counts = queue.counts()

    assert (counts.waiting, counts.delayed, counts.prioritized) == (0, 0, 0)
    with every_server.client() as client:
        assert not client.exists(BASE + "1", BASE + "1:logs")


def test_a_job_of_a_paused_queue_is_cancelled(redis_url: str) -> None:
    with Queue("mail", redis_url) as queue:
        queue.pause()
        job = queue.add("n")

        assert job.cancel() is Cancellation.REMOVED
        queue.resume()


def test_who_has_a_lock_of_torils_is_told_and_others_cannot_be(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    keyspace.ignore("I5", "I29")
    with Queue("mail", redis_url) as queue:
        ours, theirs = queue.add("n"), queue.add("n")
        take(redis_client, ours.id, "host-1-abcdef:x0:7")
        take(redis_client, theirs.id, "0e7a-uuid:7")

        assert ours.cancel() is Cancellation.TOLD
        assert theirs.cancel() is Cancellation.UNTOLD

    notes = OWN + "cancel:host-1-abcdef"
    assert redis_client.hgetall(notes) == {b"1": b"host-1-abcdef:x0:7"}
    assert 0 < redis_client.pttl(notes) <= 3_600_000
    for job_id in ("1", "2"):
        assert redis_client.hget(BASE + job_id, "defa") == b"cancelled"


def test_a_reason_that_a_job_is_to_be_failed_for_stays(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    keyspace.ignore("I5", "I29")
    with Queue("mail", redis_url) as queue:
        job = queue.add("n")
        take(redis_client, job.id, "host-1-abcdef:x0:7")
        redis_client.hset(BASE + job.id, "defa", "child 7 failed")

        assert job.cancel() is Cancellation.TOLD

    assert redis_client.hget(BASE + job.id, "defa") == b"child 7 failed"


def test_nothing_is_changed_where_something_is_in_the_way(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    """A foreign key under the name of the notes, or of the lock."""
    keyspace.ignore("I5", "I25", "I28", "I29", "T1", "T2")
    with Queue("mail", redis_url) as queue:
        job = queue.add("n")
        take(redis_client, job.id, "host-1-abcdef:x0:7")
        redis_client.set(OWN + "cancel:host-1-abcdef", "no hash")
        with pytest.raises(ScriptError):
            job.cancel()
        redis_client.delete(f"{BASE}{job.id}:lock")
        redis_client.hset(f"{BASE}{job.id}:lock", "no", "text")
        with pytest.raises(ScriptError):
            job.cancel()

    assert redis_client.hget(BASE + job.id, "defa") is None


def test_a_parent_of_which_a_child_runs_stays(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    keyspace.ignore("I5", "I29")
    with Queue("mail", redis_url) as queue:
        parent, child = queue.add("p", job_id="p"), queue.add("c", job_id="c")
        redis_client.lrem(BASE + "wait", 0, "p")
        redis_client.zadd(BASE + "waiting-children", {"p": 1})
        redis_client.sadd(BASE + "p:dependencies", BASE + "c")
        redis_client.hset(BASE + "c", "parentKey", BASE + "p")
        take(redis_client, child.id, "host-1-abcdef:x0:7")
        with pytest.raises(JobLockedError, match="its child"):
            parent.cancel()
        assert redis_client.hget(BASE + "p", "defa") is None
        redis_client.delete(BASE + "c:lock")

        assert parent.cancel() is Cancellation.REMOVED
        assert (queue.counts()).active == 0


def test_the_next_job_of_a_scheduler_stays(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    keyspace.ignore("I21", "I22", "I23", "I24", "I25", "I29", "I18")
    job_id = "repeat:nightly:1700000000000"
    with Queue("mail", redis_url) as queue:
        job = queue.add("n")
        redis_client.rename(BASE + job.id, BASE + job_id)
        redis_client.lrem(BASE + "wait", 0, job.id)
        redis_client.lpush(BASE + "wait", job_id)
        redis_client.hset(BASE + job_id, "rjk", "nightly")
        redis_client.zadd(BASE + "repeat", {"nightly": 1_700_000_000_000})
        with pytest.raises(ScheduledJobError):
            queue.jobs.cancel(job_id)
        redis_client.zadd(BASE + "repeat", {"nightly": 1_800_000_000_000})

        assert queue.jobs.cancel(job_id) is Cancellation.REMOVED
        redis_client.delete(BASE + "repeat")


def test_what_has_ended_stays(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    keyspace.ignore("I29")
    with Queue("mail", redis_url) as queue:
        job = queue.add("n")
        redis_client.lrem(BASE + "wait", 0, job.id)
        redis_client.zadd(BASE + "completed", {job.id: 1})
        redis_client.hset(BASE + job.id, mapping={"finishedOn": 1, "returnvalue": "null"})

        with pytest.raises(JobStateError, match="job '1' is completed, not unfinished"):
            job.cancel()


@pytest.mark.parametrize("job_id", ["", "a:b", "wait", "meta", "x" * 256])
def test_an_id_that_no_job_can_have_is_refused(redis_url: str, job_id: str) -> None:
    with Queue("mail", redis_url) as queue:
        with pytest.raises((BadInputError, JobNotFoundError)):
            queue.jobs.cancel(job_id)
        with pytest.raises(BadInputError):
            queue.jobs.cancel(7)  # type: ignore[arg-type]
