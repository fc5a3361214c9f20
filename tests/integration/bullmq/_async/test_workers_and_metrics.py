"""Who works a queue, and how much gets done, are looked at."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
import redis
from tests.integration.bullmq.rigs import Hire
from tests.support.servers import ValkeyServer, wait_until

from toril import AsyncQueue, Job, PermanentError
from toril.core.errors import BadInputError, DeniedError, JobFailedError, ScriptError

COUNTS = "bull:{mail}:metrics:completed"


def ready(_: Job) -> None:
    """Nothing to do."""


def named(client: redis.Redis, name: str) -> bool:
    return any(connection["name"] == name for connection in client.client_list())


async def test_every_worker_of_the_queue_is_listed_by_its_name(
    every_server: ValkeyServer, hire: Hire
) -> None:
    url = every_server.url
    async with AsyncQueue("q", url, hash_tag=False) as queue:
        assert await queue.workers.count() == 0

        hire(ready, url, queue="q", hash_tag=False, name="second")
        hire(ready, url, queue="q", hash_tag=False, name="first")
        hire(ready, url, queue="q", hash_tag=False, name="")
        hire(ready, url, queue="qq", hash_tag=False, name="another queue's")
        with every_server.client() as client:
            for name in ("bull:cQ==", "bull:cQ==:w:first", "bull:cQ==:w:second"):
                wait_until(lambda name=name: named(client, name), f"{name} is connected")

        workers = await queue.workers.list()

        assert [worker.name for worker in workers] == ["", "first", "second"]
        assert await queue.workers.count() == 3
    assert all(worker.address.startswith("127.0.0.1:") for worker in workers)
    assert all(worker.connected_for < timedelta(seconds=60) for worker in workers)


async def test_a_worker_of_another_database_works_another_queue(
    redis_url: str, redis_client: redis.Redis, hire: Hire
) -> None:
    hire(ready, f"{redis_url}/3", queue="q", hash_tag=False, name="w")
    wait_until(lambda: named(redis_client, "bull:cQ==:w:w"), "the worker is connected")

    async with (
        AsyncQueue("q", redis_url, hash_tag=False) as here,
        AsyncQueue("q", f"{redis_url}/3", hash_tag=False) as there,
    ):
        assert await here.workers.list() == []
        assert [worker.name for worker in await there.workers.list()] == ["w"]


async def test_a_server_that_does_not_tell_its_clients_says_so(
    redis_url: str, valkey: ValkeyServer, redis_client: redis.Redis
) -> None:
    del redis_url
    redis_client.execute_command(
        "ACL", "SETUSER", "blind", "on", ">pass", "~*", "+@all", "-client|list"
    )
    try:
        url = f"redis://blind:pass@127.0.0.1:{valkey.port}"
        async with AsyncQueue("mail", url, hash_tag=False) as queue:
            with pytest.raises(DeniedError, match="client"):
                await queue.workers.list()
    finally:
        redis_client.execute_command("ACL", "DELUSER", "blind")


async def test_a_queue_whose_workers_count_nothing_has_no_metrics(redis_url: str) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        metrics = await queue.metrics.read("failed")

    assert (metrics.total, metrics.per_minute, metrics.minutes) == (0, [], 0)
    assert (metrics.open_since, metrics.open_count) == (None, 0)


async def test_metrics_are_read_minute_by_minute_the_newest_first(
    every_server: ValkeyServer,
) -> None:
    with every_server.client() as client:
        client.hset(COUNTS, mapping={"count": 40, "prevTS": 1_700_000_000_000, "prevCount": 33})
        client.rpush(f"{COUNTS}:data", 5, 0, 28)
    async with AsyncQueue("mail", every_server.url) as queue:
        everything = await queue.metrics.read()
        some = await queue.metrics.read("completed", start=1, limit=1)

    assert everything.per_minute == [5, 0, 28]
    assert (everything.total, everything.open_count) == (40, 7)
    assert everything.open_since == datetime.fromtimestamp(1_700_000_000, UTC)
    assert (some.per_minute, some.minutes) == ([0], 3)


async def test_workers_that_keep_metrics_count_what_they_end(
    redis_url: str, hire: Hire, redis_client: redis.Redis
) -> None:
    def handle(job: Job) -> None:
        if job.name == "bad":
            raise PermanentError("no")

    hire(handle, redis_url, concurrency=5, metrics=3600)
    async with AsyncQueue("mail", redis_url) as queue:
        names = ["good"] * 20 + ["bad"] * 5
        jobs = await queue.add_many([(name, {}) for name in names])
        for job in jobs:
            with suppress(JobFailedError):
                await job.result(timeout=10)
        redis_client.hincrby(COUNTS, "prevTS", -1_800_000)
        await (await queue.add("good")).result(timeout=10)
        completed = await queue.metrics.read()
        failed = await queue.metrics.read("failed")

    assert (completed.total, sum(completed.per_minute), completed.open_count) == (21, 20, 1)
    assert failed.total == 5


async def test_metrics_that_are_nonsense_count_nothing(
    redis_url: str, redis_client: redis.Redis
) -> None:
    redis_client.hset(COUNTS, mapping={"count": "many", "prevTS": "-5", "prevCount": "1"})
    redis_client.rpush(f"{COUNTS}:data", "3", "x")
    async with AsyncQueue("mail", redis_url) as queue:
        metrics = await queue.metrics.read()

    assert (metrics.total, metrics.per_minute, metrics.open_count) == (0, [3, 0], 0)
    assert metrics.open_since is None


async def test_metrics_under_somebody_else_s_key_are_an_error(
    redis_url: str, redis_client: redis.Redis
) -> None:
    redis_client.set(COUNTS, "no hash")
    async with AsyncQueue("mail", redis_url) as queue:
        with pytest.raises(ScriptError, match="WRONGTYPE"):
            await queue.metrics.read()
    redis_client.flushdb()


@pytest.mark.parametrize(
    ("kind", "options", "field"),
    [
        ("active", {}, "kind"),
        (None, {}, "kind"),
        ("failed", {"start": -1}, "start"),
        ("failed", {"limit": 0}, "limit"),
    ],
)
async def test_what_is_not_counted_is_refused(
    redis_url: str, kind: str, options: dict[str, int], field: str
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        with pytest.raises(BadInputError, match=f"^{field}: "):
            await queue.metrics.read(kind, **options)  # type: ignore[arg-type]
