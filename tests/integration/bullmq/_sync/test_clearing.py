"""A queue is emptied of what was meant and of nothing else, in bounded requests."""  # generated from _async/test_clearing.py by tools/generate_sync.py: edit that file

import pytest
import redis
from tests.integration.bullmq.rigs import KeyspaceGuard, StartServer
from tests.lua.sending import send
from tests.support.fleets import ValkeyCluster
from tests.support.servers import ValkeyServer

from toril import Queue
from toril.bullmq.operations.claim.claim import Claim, ClaimTerms
from toril.bullmq.operations.sender import Sender
from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import BadInputError, QueueBusyError, UnavailableError

KEYS = QueueKeys("bull", "{mail}")
BASE = KEYS.base


def claim(client: redis.Redis, want: int) -> None:
    """Let jobs run, and take their locks away: their worker is gone."""
    terms = ClaimTerms(max_bytes=10**6, lock_ms=60_000)
    send(client, Claim(sender=Sender(KEYS, "w"), sequence=1, want=want, terms=terms))


def test_a_queue_is_drained_on_every_server(every_server: ValkeyServer) -> None:
    with Queue("mail", every_server.url) as queue:
        queue.add("waits")
        queue.add("urgent", priority=1)
        queue.add("later", delay=60)

        assert queue.drain() == 2
        queue.add("waits")
        assert queue.drain() == 1
        assert queue.drain() == 0
        assert queue.drain(delayed=True) == 1


def test_more_jobs_than_fit_into_one_request_are_drained(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with Queue("mail", redis_url) as queue:
        queue.add_many(("n", None) for _ in range(1_500))
        queue.add_many(("n", None, {"priority": 3}) for _ in range(1_500))

        assert queue.drain() == 3_000

        assert (queue.counts()).waiting == 0
    assert [key for key in redis_client.scan_iter(f"{BASE}*") if key[-1:].isdigit()] == []


def test_jobs_that_a_pause_of_another_version_left_in_both_lists_are_drained(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with Queue("mail", redis_url) as queue:
        queue.add("n")
        redis_client.hset(KEYS.meta, "paused", "1")
        queue.add("n")

        assert queue.drain() == 2

        queue.resume()


def test_old_jobs_are_cleaned_on_every_server(every_server: ValkeyServer) -> None:
    with Queue("mail", every_server.url) as queue:
        queue.add("n")
        queue.add("n", delay=60)

        assert queue.jobs.clean("waiting", grace=60) == []
        assert queue.jobs.clean("waiting") == ["1"]
        assert queue.jobs.clean("delayed") == ["2"]
        assert queue.jobs.clean("completed") == []


def test_jobs_that_wait_in_either_list_are_cleaned(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with Queue("mail", redis_url) as queue:
        queue.add("n")
        redis_client.hset(KEYS.meta, "paused", "1")
        queue.add_many([("n", None), ("n", None)])

        assert queue.jobs.clean("waiting", limit=2) == ["1", "2"]
        assert queue.jobs.clean("waiting") == ["3"]

        queue.resume()


def test_more_jobs_than_fit_into_one_request_are_cleaned_up_to_the_limit(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with Queue("mail", redis_url) as queue:
        queue.add_many(("n", None, {"priority": 1}) for _ in range(2_500))

        assert len(queue.jobs.clean("prioritized", limit=1_700)) == 1_700
        assert (queue.counts()).prioritized == 800
        assert len(queue.jobs.clean("prioritized", limit=9_999)) == 800
    assert not redis_client.exists(f"{BASE}1", f"{BASE}2500")


def test_jobs_behind_a_thousand_that_stay_are_found(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with Queue("mail", redis_url) as queue:
        jobs = queue.add_many(("n", None) for _ in range(2_100))
        oldest = [jobs[1].id, jobs[1_500].id, jobs[2_099].id]
        for job_id in oldest:
            redis_client.hset(KEYS.job(job_id), "timestamp", "1600000000000")

        assert queue.jobs.clean("waiting", grace=3600, limit=3) == oldest
        assert (queue.counts()).waiting == 2_097


def test_jobs_that_run_stay_and_those_of_a_lost_worker_go(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    del keyspace
    with Queue("mail", redis_url) as queue:
        queue.add_many([("runs", None), ("lost", None)])
        claim(redis_client, 2)
        redis_client.delete(f"{BASE}2:lock")
        redis_client.sadd(KEYS.stalled, "2")

        assert queue.jobs.clean("active") == ["2"]
        assert not redis_client.exists(KEYS.stalled)
        assert (queue.counts()).active == 1

        queue.obliterate(force=True)


def test_what_cannot_be_cleaned_is_refused_before_anything_is_sent(redis_url: str) -> None:
    with Queue("mail", redis_url) as queue:
        with pytest.raises(BadInputError, match="state: 'waiting_children' is not one of"):
            queue.jobs.clean("waiting_children")  # type: ignore[arg-type]
        with pytest.raises(BadInputError, match="grace: -1 s is negative"):
            queue.jobs.clean("failed", grace=-1)
        with pytest.raises(BadInputError, match="limit: 0 is not a whole number from 1"):
            queue.jobs.clean("failed", limit=0)
        with pytest.raises(BadInputError, match="delayed: 1 is neither True nor False"):
            queue.drain(delayed=1)  # type: ignore[arg-type]
        with pytest.raises(BadInputError, match="force: 'yes' is neither True nor False"):
            queue.obliterate(force="yes")  # type: ignore[arg-type]


def test_an_obliterated_queue_leaves_nothing_on_every_server(
    every_server: ValkeyServer,
) -> None:
    with Queue("mail", every_server.url) as queue:
        queue.add("n", idempotency_key="once")
        queue.add("n", delay=60)
        with every_server.client() as client:
            client.set(f"{BASE}de:left over", "nobody")
            client.hset(f"{BASE}dn:left over", "name", "n")
            client.hset(f"{BASE}orphan", mapping={"name": "n"})
            client.rpush(f"{BASE}gone:logs", "a row")
            client.zadd(f"{BASE}waiting-children", {"1": 5})
            client.set(f"{BASE}limiter", "5")

            queue.obliterate()

            assert client.keys("*") == []


def test_more_jobs_than_fit_into_one_request_are_obliterated(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with Queue("mail", redis_url) as queue:
        queue.add_many(("n", None) for _ in range(2_000))
        queue.add_many(("n", None, {"delay": 60}) for _ in range(1_500))

        queue.obliterate()

    assert redis_client.keys("*") == []


def test_a_queue_is_not_obliterated_under_a_job_that_runs(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with Queue("mail", redis_url) as queue:
        queue.add("n")
        claim(redis_client, 1)

        with pytest.raises(QueueBusyError, match=r"1 job of queue '{mail}' run.* force=True"):
            queue.obliterate()
        assert not queue.is_paused()

        queue.obliterate(force=True)

    assert redis_client.keys("*") == []


def test_keys_of_a_foreign_type_go_too(redis_url: str, redis_client: redis.Redis) -> None:
    with Queue("mail", redis_url) as queue:
        queue.add("n")
        for part in ("wait", "active", "failed", "meta", "events", "repeat", "marker", "1"):
            redis_client.delete(BASE + part)
            redis_client.set(BASE + part, "foreign")

        queue.obliterate()

    assert redis_client.keys("*") == []


def test_a_queue_whose_keys_begin_alike_stays(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with (
        Queue("mail", redis_url) as queue,
        Queue("inner", redis_url, prefix="bull:{mail}", hash_tag=False) as inner,
        Queue("mailbox", redis_url) as other,
    ):
        queue.add("n")
        inner.add("n")
        other.add("n")

        queue.obliterate()

        assert (inner.counts()).waiting == (other.counts()).waiting == 1
    assert not redis_client.exists(KEYS.meta, KEYS.wait)
    receipts = [key.decode() for key in redis_client.scan_iter("toril:*receipt*")]
    assert sorted(key.rpartition(":receipt")[0] for key in receipts) == [
        "toril:{mailbox}:bull:{mailbox}",
        "toril:{mail}:bull:{mail}:inner",
    ]


def test_a_queue_is_obliterated_on_a_cluster(cluster: ValkeyCluster) -> None:
    with Queue("obliterated", cluster.url) as queue:
        queue.add_many(("n", None, {"delay": 60}) for _ in range(20))
        queue.add("n", idempotency_key="once")
        queue.pause()
        queue.resume()
        assert queue.jobs.promote_all() == 20
        assert len(queue.jobs.clean("waiting", limit=5)) == 5
        assert queue.drain() == 16

        queue.obliterate()

    with cluster.client() as client:
        assert list(client.scan_iter("*obliterated*")) == []


def test_an_account_that_may_not_list_keys_obliterates_the_jobs(
    redis_url: str, valkey: ValkeyServer, redis_client: redis.Redis
) -> None:
    del redis_url
    redis_client.execute_command("ACL", "SETUSER", "blind", "on", ">pass", "~*", "+@all", "-scan")
    try:
        url = f"redis://blind:pass@127.0.0.1:{valkey.port}"
        with Queue("mail", url) as queue:
            queue.add("n")
            queue.obliterate()
    finally:
        redis_client.execute_command("ACL", "DELUSER", "blind")

    assert [key for key in redis_client.scan_iter() if key.startswith(b"bull")] == []


def test_a_queue_can_be_used_again_after_it_was_obliterated(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with Queue("mail", redis_url) as queue:
        queue.add("n")
        queue.obliterate()

        job = queue.add("n")

    assert job.id == "1"
    assert redis_client.hexists(KEYS.meta, "version")


def test_a_server_out_of_memory_can_be_paused_and_emptied(own_server: StartServer) -> None:
    server = own_server(maxmemory="50mb")
    with Queue("mail", server.url) as queue:
        queue.add_many([("n", None), ("n", None, {"delay": 60})])
        with server.client() as client:
            client.config_set("maxmemory", "1mb")

            with pytest.raises(UnavailableError):
                queue.jobs.promote_all()
            assert (queue.counts()).delayed == 1

            queue.pause()
            queue.resume()
            assert queue.jobs.clean("waiting") == ["1"]
            assert queue.drain(delayed=True) == 1
            queue.obliterate()

            client.config_set("maxmemory", "50mb")
            assert client.keys("*") == []
