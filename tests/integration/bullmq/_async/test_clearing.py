"""A queue is emptied of what was meant and of nothing else, in bounded requests."""

import pytest
import redis
from tests.integration.bullmq.rigs import KeyspaceGuard, StartServer
from tests.lua.sending import send
from tests.support.fleets import ValkeyCluster
from tests.support.servers import ValkeyServer

from toril import AsyncQueue
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


async def test_a_queue_is_drained_on_every_server(every_server: ValkeyServer) -> None:
    async with AsyncQueue("mail", every_server.url) as queue:
        await queue.add("waits")
        await queue.add("urgent", priority=1)
        await queue.add("later", delay=60)

        assert await queue.drain() == 2
        await queue.add("waits")
        assert await queue.drain() == 1
        assert await queue.drain() == 0
        assert await queue.drain(delayed=True) == 1


async def test_more_jobs_than_fit_into_one_request_are_drained(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add_many(("n", None) for _ in range(1_500))
        await queue.add_many(("n", None, {"priority": 3}) for _ in range(1_500))

        assert await queue.drain() == 3_000

        assert (await queue.counts()).waiting == 0
    assert [key for key in redis_client.scan_iter(f"{BASE}*") if key[-1:].isdigit()] == []


async def test_jobs_that_a_pause_of_another_version_left_in_both_lists_are_drained(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add("n")
        redis_client.hset(KEYS.meta, "paused", "1")
        await queue.add("n")

        assert await queue.drain() == 2

        await queue.resume()


async def test_old_jobs_are_cleaned_on_every_server(every_server: ValkeyServer) -> None:
    async with AsyncQueue("mail", every_server.url) as queue:
        await queue.add("n")
        await queue.add("n", delay=60)

        assert await queue.jobs.clean("waiting", grace=60) == []
        assert await queue.jobs.clean("waiting") == ["1"]
        assert await queue.jobs.clean("delayed") == ["2"]
        assert await queue.jobs.clean("completed") == []


async def test_jobs_that_wait_in_either_list_are_cleaned(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add("n")
        redis_client.hset(KEYS.meta, "paused", "1")
        await queue.add_many([("n", None), ("n", None)])

        assert await queue.jobs.clean("waiting", limit=2) == ["1", "2"]
        assert await queue.jobs.clean("waiting") == ["3"]

        await queue.resume()


async def test_more_jobs_than_fit_into_one_request_are_cleaned_up_to_the_limit(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add_many(("n", None, {"priority": 1}) for _ in range(2_500))

        assert len(await queue.jobs.clean("prioritized", limit=1_700)) == 1_700
        assert (await queue.counts()).prioritized == 800
        assert len(await queue.jobs.clean("prioritized", limit=9_999)) == 800
    assert not redis_client.exists(f"{BASE}1", f"{BASE}2500")


async def test_jobs_behind_a_thousand_that_stay_are_found(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        jobs = await queue.add_many(("n", None) for _ in range(2_100))
        oldest = [jobs[1].id, jobs[1_500].id, jobs[2_099].id]
        for job_id in oldest:
            redis_client.hset(KEYS.job(job_id), "timestamp", "1600000000000")

        assert await queue.jobs.clean("waiting", grace=3600, limit=3) == oldest
        assert (await queue.counts()).waiting == 2_097


async def test_jobs_that_run_stay_and_those_of_a_lost_worker_go(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    del keyspace
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add_many([("runs", None), ("lost", None)])
        claim(redis_client, 2)
        redis_client.delete(f"{BASE}2:lock")
        redis_client.sadd(KEYS.stalled, "2")

        assert await queue.jobs.clean("active") == ["2"]
        assert not redis_client.exists(KEYS.stalled)
        assert (await queue.counts()).active == 1

        await queue.obliterate(force=True)


async def test_what_cannot_be_cleaned_is_refused_before_anything_is_sent(redis_url: str) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        with pytest.raises(BadInputError, match="state: 'waiting_children' is not one of"):
            await queue.jobs.clean("waiting_children")  # type: ignore[arg-type]
        with pytest.raises(BadInputError, match="grace: -1 s is negative"):
            await queue.jobs.clean("failed", grace=-1)
        with pytest.raises(BadInputError, match="limit: 0 is not a whole number from 1"):
            await queue.jobs.clean("failed", limit=0)
        with pytest.raises(BadInputError, match="delayed: 1 is neither True nor False"):
            await queue.drain(delayed=1)  # type: ignore[arg-type]
        with pytest.raises(BadInputError, match="force: 'yes' is neither True nor False"):
            await queue.obliterate(force="yes")  # type: ignore[arg-type]


async def test_an_obliterated_queue_leaves_nothing_on_every_server(
    every_server: ValkeyServer,
) -> None:
    async with AsyncQueue("mail", every_server.url) as queue:
        await queue.add("n", idempotency_key="once")
        await queue.add("n", delay=60)
        with every_server.client() as client:
            client.set(f"{BASE}de:left over", "nobody")
            client.hset(f"{BASE}dn:left over", "name", "n")
            client.hset(f"{BASE}orphan", mapping={"name": "n"})
            client.rpush(f"{BASE}gone:logs", "a row")
            client.zadd(f"{BASE}waiting-children", {"1": 5})
            client.set(f"{BASE}limiter", "5")

            await queue.obliterate()

            assert client.keys("*") == []


async def test_more_jobs_than_fit_into_one_request_are_obliterated(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add_many(("n", None) for _ in range(2_000))
        await queue.add_many(("n", None, {"delay": 60}) for _ in range(1_500))

        await queue.obliterate()

    assert redis_client.keys("*") == []


async def test_a_queue_is_not_obliterated_under_a_job_that_runs(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add("n")
        claim(redis_client, 1)

        with pytest.raises(QueueBusyError, match=r"1 job of queue '{mail}' run.* force=True"):
            await queue.obliterate()
        assert not await queue.is_paused()

        await queue.obliterate(force=True)

    assert redis_client.keys("*") == []


async def test_keys_of_a_foreign_type_go_too(redis_url: str, redis_client: redis.Redis) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add("n")
        for part in ("wait", "active", "failed", "meta", "events", "repeat", "marker", "1"):
            redis_client.delete(BASE + part)
            redis_client.set(BASE + part, "foreign")

        await queue.obliterate()

    assert redis_client.keys("*") == []


async def test_a_queue_whose_keys_begin_alike_stays(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with (
        AsyncQueue("mail", redis_url) as queue,
        AsyncQueue("inner", redis_url, prefix="bull:{mail}", hash_tag=False) as inner,
        AsyncQueue("mailbox", redis_url) as other,
    ):
        await queue.add("n")
        await inner.add("n")
        await other.add("n")

        await queue.obliterate()

        assert (await inner.counts()).waiting == (await other.counts()).waiting == 1
    assert not redis_client.exists(KEYS.meta, KEYS.wait)
    receipts = [key.decode() for key in redis_client.scan_iter("toril:*receipt*")]
    assert sorted(key.rpartition(":receipt")[0] for key in receipts) == [
        "toril:{mailbox}:bull:{mailbox}",
        "toril:{mail}:bull:{mail}:inner",
    ]


async def test_a_queue_is_obliterated_on_a_cluster(cluster: ValkeyCluster) -> None:
    async with AsyncQueue("obliterated", cluster.url) as queue:
        await queue.add_many(("n", None, {"delay": 60}) for _ in range(20))
        await queue.add("n", idempotency_key="once")
        await queue.pause()
        await queue.resume()
        assert await queue.jobs.promote_all() == 20
        assert len(await queue.jobs.clean("waiting", limit=5)) == 5
        assert await queue.drain() == 16

        await queue.obliterate()

    with cluster.client() as client:
        assert list(client.scan_iter("*obliterated*")) == []


async def test_an_account_that_may_not_list_keys_obliterates_the_jobs(
    redis_url: str, valkey: ValkeyServer, redis_client: redis.Redis
) -> None:
    del redis_url
    redis_client.execute_command("ACL", "SETUSER", "blind", "on", ">pass", "~*", "+@all", "-scan")
    try:
        url = f"redis://blind:pass@127.0.0.1:{valkey.port}"
        async with AsyncQueue("mail", url) as queue:
            await queue.add("n")
            await queue.obliterate()
    finally:
        redis_client.execute_command("ACL", "DELUSER", "blind")

    assert [key for key in redis_client.scan_iter() if key.startswith(b"bull")] == []


async def test_a_queue_can_be_used_again_after_it_was_obliterated(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add("n")
        await queue.obliterate()

        job = await queue.add("n")

    assert job.id == "1"
    assert redis_client.hexists(KEYS.meta, "version")


async def test_a_server_out_of_memory_can_be_paused_and_emptied(own_server: StartServer) -> None:
    server = own_server(maxmemory="50mb")
    async with AsyncQueue("mail", server.url) as queue:
        await queue.add_many([("n", None), ("n", None, {"delay": 60})])
        with server.client() as client:
            client.config_set("maxmemory", "1mb")

            with pytest.raises(UnavailableError):
                await queue.jobs.promote_all()
            assert (await queue.counts()).delayed == 1

            await queue.pause()
            await queue.resume()
            assert await queue.jobs.clean("waiting") == ["1"]
            assert await queue.drain(delayed=True) == 1
            await queue.obliterate()

            client.config_set("maxmemory", "50mb")
            assert client.keys("*") == []
