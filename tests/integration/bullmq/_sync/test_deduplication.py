"""A deduplication id keeps the likes of a job out; it is always somebody's, and never lost."""  # generated from _async/test_deduplication.py by tools/generate_sync.py: edit that file

import pytest
import redis
from tests.integration.bullmq.rigs import KeyspaceGuard
from tests.support.servers import ValkeyServer

from toril import Queue, Deduplication
from toril.bullmq import Counts
from toril.core.errors import AddError, BadInputError

BASE = "bull:{mail}:"
NOTHING = Counts(0, 0, 0, 0, 0, 0, 0, 0)
SAME = Deduplication("same")
LAST = Deduplication("same", keep_last_if_active=True)


def test_every_mode_works_on_every_server(every_server: ValkeyServer) -> None:
    modes = {
        "simple": Deduplication("simple"),
        "ttl": Deduplication("ttl", ttl=30),
        "extend": Deduplication("extend", ttl=30, extend=True),
        "replace": Deduplication("replace", ttl=30, replace=True),
        "last": Deduplication("last", keep_last_if_active=True),
    }
    with Queue("mail", every_server.url) as queue:
        for name, mode in modes.items():
            first = queue.add(name, deduplication=mode, delay=60)
            second = queue.add(name, deduplication=mode, delay=60)
            owner = queue.deduplication_owner(name)

            assert first.created
            assert second.created is (name == "replace")
            assert owner == (second.id if second.created else first.id) == second.id
        counts = queue.counts()

    assert counts.delayed == len(modes)


def test_an_id_can_be_freed_by_hand(redis_url: str) -> None:
    with Queue("mail", redis_url) as queue:
        assert queue.deduplication_owner("same") is None
        assert not queue.remove_deduplication("same")
        queue.add("n", deduplication=SAME)
        assert queue.remove_deduplication("same")
        second = queue.add("n", deduplication=SAME)

    assert second.created


@pytest.mark.parametrize("wrong", ["", "a\nb", 5, None])
def test_what_can_be_no_id_is_refused(redis_url: str, wrong: object) -> None:
    with Queue("mail", redis_url) as queue:
        with pytest.raises(BadInputError, match=r"deduplication\.id"):
            queue.deduplication_owner(wrong)  # type: ignore[arg-type]
        with pytest.raises(BadInputError, match=r"deduplication\.id"):
            queue.remove_deduplication(wrong)  # type: ignore[arg-type]


def test_an_id_that_points_to_no_job_does_not_swallow_jobs_for_ever(
    redis_url: str, redis_client: redis.Redis
) -> None:
    redis_client.set(BASE + "de:same", "17")
    with Queue("mail", redis_url) as queue:
        job = queue.add("n", deduplication=SAME)
        owner = queue.deduplication_owner("same")

    assert job.created
    assert owner == job.id


def test_of_many_delayed_jobs_in_one_call_the_last_one_stays(
    redis_url: str, redis_client: redis.Redis
) -> None:
    newest = Deduplication("same", replace=True)
    with Queue("mail", redis_url) as queue:
        jobs = queue.add_many(
            [("n", number, {"delay": 60, "deduplication": newest}) for number in range(5)]
        )

    assert all(job.created for job in jobs)
    assert redis_client.zrange(BASE + "delayed", 0, -1) == [b"5"]
    assert not redis_client.exists(*(f"{BASE}{number}" for number in range(1, 5)))


def test_an_idempotency_key_answers_before_the_deduplication(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with Queue("mail", redis_url) as queue:
        first = queue.add("n", deduplication=SAME, idempotency_key="first")
        kept_out = queue.add("n", deduplication=SAME, idempotency_key="second")
        queue.remove_deduplication("same")
        again = queue.add("n", deduplication=SAME, idempotency_key="second")

    assert [(job.id, job.created) for job in (first, kept_out, again)] == [
        ("1", True),
        ("1", False),
        ("1", False),
    ]
    assert redis_client.llen(BASE + "wait") == 1


def test_jobs_are_kept_for_the_owner_and_the_newest_counts(
    redis_url: str, redis_client: redis.Redis
) -> None:
    redis_client.lpush(BASE + "active", "own")
    with Queue("mail", redis_url) as queue:
        queue.add("n", 1, deduplication=LAST, job_id="own")
        redis_client.lrem(BASE + "wait", 1, "own")
        kept = [queue.add("n", number, deduplication=LAST) for number in (2, 3)]
        stored = redis_client.hgetall(BASE + "dn:same")
        redis_client.delete(BASE + "active")
        redis_client.lpush(BASE + "wait", "own")

    assert [(job.id, job.created) for job in kept] == [("own", False)] * 2
    assert stored[b"data"] == b"3"
    assert stored[b"jid"] == b"3"


def test_a_job_that_an_old_worker_left_kept_goes_when_a_newer_one_is_added(
    redis_url: str, redis_client: redis.Redis
) -> None:
    redis_client.hset(BASE + "dn:same", mapping={"name": "n", "data": "1", "opts": "{}"})
    with Queue("mail", redis_url) as queue:
        queue.add("n", 2, deduplication=SAME)

    assert not redis_client.exists(BASE + "dn:same")


@pytest.mark.parametrize("part", ["de:same", "active", "id", "pc", "delayed", "events"])
def test_a_key_of_a_foreign_type_is_seen_before_anything_is_written(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard, part: str
) -> None:
    keyspace.ignore("I3", "I25")
    with Queue("mail", redis_url) as queue:
        queue.counts()
        redis_client.sadd(BASE + part, "foreign")
        with pytest.raises(AddError):
            queue.add_many([("n", 1), ("n", 2, {"deduplication": LAST})])
        redis_client.delete(BASE + part)

        assert queue.counts() == NOTHING
    assert redis_client.keys(BASE + "*") == [BASE.encode() + b"meta"]
