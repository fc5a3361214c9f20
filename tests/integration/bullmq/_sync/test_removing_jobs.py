"""Jobs that are removed by hand, with their families, and what must stay."""  # generated from _async/test_removing_jobs.py by tools/generate_sync.py: edit that file

import pytest
import redis
from tests.integration.bullmq.rigs import KeyspaceGuard
from tests.support.servers import ValkeyServer

from toril import Queue
from toril.core.errors import BadInputError, JobLockedError, JobNotFoundError, ScheduledJobError

BASE = "bull:{mail}:"


def make_family(client: redis.Redis, parent: str, *children: str) -> None:
    """Let jobs that were added be a parent that waits, and its children."""
    client.lrem(BASE + "wait", 0, parent)
    client.zadd(BASE + "waiting-children", {parent: 1})
    for child in children:
        client.sadd(f"{BASE}{parent}:dependencies", BASE + child)
        client.hset(BASE + child, "parentKey", BASE + parent)


def test_a_job_is_removed_on_every_server(every_server: ValkeyServer) -> None:
    with Queue("mail", every_server.url) as queue:
        job = queue.add("n", delay=60)
        job.log("row")

        assert job.remove()
        assert not job.remove()
        assert job.state() is None

    with every_server.client() as client:
        assert not client.exists(BASE + "1", BASE + "1:logs", BASE + "delayed")


def test_a_job_that_a_worker_has_stays(redis_url: str, redis_client: redis.Redis) -> None:
    with Queue("mail", redis_url) as queue:
        job = queue.add("n")
        redis_client.rpoplpush(BASE + "wait", BASE + "active")
        redis_client.set(BASE + "1:lock", "token")
        with pytest.raises(JobLockedError, match="job '1' cannot be removed: a worker has it"):
            job.remove()
        with pytest.raises(JobLockedError):
            job.remove(children=False)
        redis_client.delete(BASE + "1:lock")

        assert job.remove()


def test_a_parent_stays_while_a_worker_has_one_of_its_children(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    keyspace.ignore("I29")
    with Queue("mail", redis_url) as queue:
        for job_id in ("p", "a", "b"):
            queue.add("n", job_id=job_id)
        make_family(redis_client, "p", "a", "b")
        redis_client.lrem(BASE + "wait", 0, "b")
        redis_client.lpush(BASE + "active", "b")
        redis_client.set(BASE + "b:lock", "token")
        with pytest.raises(JobLockedError, match=r"its child 'bull:\{mail\}:b'") as refusal:
            queue.jobs.remove("p")
        redis_client.delete(BASE + "b:lock")

        assert (refusal.value.job_id, refusal.value.locked) == ("p", BASE + "b")
        assert queue.jobs.remove("p")

    assert not redis_client.keys(BASE + "[pab]*")


def test_a_child_that_has_ended_and_runs_again_is_not_removed_under_its_worker(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    keyspace.ignore("I29")
    with Queue("mail", redis_url) as queue:
        for job_id in ("p", "a"):
            queue.add("n", job_id=job_id)
        redis_client.hset(BASE + "p:processed", BASE + "a", "1")
        redis_client.rpoplpush(BASE + "wait", BASE + "active")
        redis_client.set(BASE + "a:lock", "token")
        with pytest.raises(JobLockedError):
            queue.jobs.remove("p")

        redis_client.delete(BASE + "a:lock")
        assert queue.jobs.remove("p")


def test_children_that_are_their_own_parents_are_removed_once(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    keyspace.ignore("I29")
    with Queue("mail", redis_url) as queue:
        for job_id in ("p", "a"):
            queue.add("n", job_id=job_id)
        make_family(redis_client, "p", "a")
        make_family(redis_client, "a", "p", "a")
        redis_client.sadd(BASE + "a:dependencies", BASE + "gone")

        assert queue.jobs.remove("p")

    assert not redis_client.exists(*(BASE + name for name in ("p", "a", "wait")))


def test_the_next_job_of_a_scheduler_stays(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    job_id = "repeat:nightly:1700000000000"
    keyspace.ignore("I23", "I24")
    with Queue("mail", redis_url) as queue:
        queue.add("n", delay=60)
        redis_client.rename(BASE + "1", BASE + job_id)
        redis_client.hset(BASE + job_id, "rjk", "nightly")
        redis_client.zrem(BASE + "delayed", "1")
        redis_client.lpush(BASE + "wait", job_id)
        redis_client.zadd(BASE + "repeat", {"nightly": 1_700_000_000_000})
        with pytest.raises(ScheduledJobError, match="the next one of job scheduler 'nightly'"):
            queue.jobs.remove(job_id)
        redis_client.delete(BASE + "repeat")

        assert queue.jobs.remove(job_id)


def test_an_id_without_a_job_is_cleared_away(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with Queue("mail", redis_url) as queue:
        queue.add("n")
        redis_client.delete(BASE + "1")

        assert not queue.jobs.remove("1")

    assert not redis_client.exists(BASE + "wait")


@pytest.mark.parametrize("job_id", ["wait", "meta", "id", "events", "repeat:nightly", "dn:same"])
def test_what_is_no_job_is_not_removed(
    redis_url: str, redis_client: redis.Redis, job_id: str
) -> None:
    for name in ("repeat:nightly", "dn:same"):
        redis_client.hset(BASE + name, mapping={"name": "n", "data": "1", "opts": "{}", "ic": 1})
    with Queue("mail", redis_url) as queue:
        queue.add("n")
        before = [redis_client.dump(key) for key in sorted(redis_client.keys(BASE + "*"))]

        assert not queue.jobs.remove(job_id)

    assert before == [redis_client.dump(key) for key in sorted(redis_client.keys(BASE + "*"))]
    redis_client.delete(BASE + "repeat:nightly", BASE + "dn:same")


def test_a_relative_that_is_no_job_stays_as_it_is(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    keyspace.ignore("I29", "I24", "I30")
    redis_client.set("elsewhere:1", "foreign")
    with Queue("mail", redis_url) as queue:
        queue.add("n", job_id="p")
        redis_client.sadd(BASE + "p:dependencies", "elsewhere:1", "no colon", BASE + "wait")
        redis_client.set(BASE + "p:processed", "foreign")
        redis_client.hset(BASE + "p", "parentKey", "elsewhere:1")

        assert queue.jobs.remove("p")

    assert redis_client.get("elsewhere:1") == b"foreign"
    assert not redis_client.exists(BASE + "p:processed", BASE + "p:dependencies", BASE + "wait")
    redis_client.delete("elsewhere:1")


def test_a_choice_that_is_none_is_refused(redis_url: str) -> None:
    with Queue("mail", redis_url) as queue:
        with pytest.raises(BadInputError, match="children: 1 is neither True nor False"):
            queue.jobs.remove("1", children=1)  # type: ignore[arg-type]


def test_a_parent_that_runs_can_complete_without_its_pending_children(
    every_server: ValkeyServer,
) -> None:
    with every_server.client() as client:
        with Queue("mail", every_server.url) as queue:
            parent = queue.add("n", job_id="p", delay=60)
            for job_id in ("a", "b"):
                queue.add("n", job_id=job_id)
                client.sadd(BASE + "p:dependencies", BASE + job_id)
                client.hset(BASE + job_id, "parentKey", BASE + "p")

            assert queue.jobs.leave_parent("a")
            assert not queue.jobs.leave_parent("a")
            assert parent.remove_pending_children() == 1
            assert parent.remove_pending_children() == 0
            assert queue.jobs.state("a") == "waiting"

        assert not client.exists(BASE + "b", BASE + "p:dependencies")
        assert not client.hexists(BASE + "a", "parentKey")


def test_who_is_not_there_has_no_family(redis_url: str, redis_client: redis.Redis) -> None:
    with Queue("mail", redis_url) as queue:
        job = queue.add("n")
        redis_client.hset(BASE + "1", "parentKey", BASE + "gone")

        assert not job.leave_parent()
        with pytest.raises(JobNotFoundError):
            queue.jobs.leave_parent("9")
        with pytest.raises(JobNotFoundError):
            queue.jobs.remove_pending_children("9")
