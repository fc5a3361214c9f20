"""The same life on a cluster, behind Sentinel, on a Unix socket, and on a server of one's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis.asyncio
from tests.integration.bullmq.workers import working
from tests.support.fleets import ValkeyCluster
from tests.support.keyspace import check
from tests.support.servers import ValkeyServer

from toril import AsyncQueue, AsyncWorker
from toril.bullmq import AsyncJob
from toril.connection import stop_embedded
from toril.core.errors import BadInputError
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import JobCompleted, JobRetried


@pytest.fixture
def embedded_folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "data"
    stop_embedded()


async def double(job: AsyncJob) -> object:
    await job.log("here")
    if job.name == "shaky" and not job.attempts_made:
        raise ValueError("not yet")
    return job.data * 2  # type: ignore[operator]


async def _live(target: object, queue_name: str = "mail", **options: object) -> None:
    """Add, work, retry, and hear of the results."""
    async with (
        AsyncQueue(queue_name, target, emitter=Emitter(), **options) as queue,  # type: ignore[arg-type]
        working(double, target, queue=queue_name, concurrency=5, **options) as work,
    ):
        before = await queue.counts()
        jobs = await queue.add_many([("n", number) for number in range(30)])
        shaky = await queue.add("shaky", 50, backoff=0.02)
        late = await queue.add("late", 60, delay=0.05)
        await work.events.next(JobRetried)
        results = [await job.result(timeout=5) for job in (*jobs, shaky, late)]
        after = await queue.counts()

    assert results == [*range(0, 60, 2), 100, 120]
    assert after.completed - before.completed == 32
    assert after.active == after.waiting == after.delayed == 0


async def test_on_a_cluster(cluster: ValkeyCluster) -> None:
    for name in ("mail", "letters", "a third"):
        await _live(cluster.url, name)

        with cluster.client() as client:
            assert check(client, "bull", f"{{{name}}}") == []  # type: ignore[arg-type]


async def test_on_a_cluster_a_queue_needs_a_tag(cluster: ValkeyCluster) -> None:
    with pytest.raises(BadInputError, match="no hash tag"):
        AsyncQueue("mail", cluster.url, hash_tag=False)
    with pytest.raises(BadInputError, match="no hash tag"):
        AsyncWorker("mail", double, cluster.url, hash_tag=False)


async def test_behind_sentinel(sentinel_url: str) -> None:
    await _live(sentinel_url)


async def test_on_a_unix_socket(valkey: ValkeyServer, redis_url: str) -> None:
    del redis_url
    await _live(f"unix://{valkey.socket_path}")


async def test_with_a_client_that_is_there_already(redis_url: str) -> None:
    async with redis.asyncio.Redis.from_url(redis_url, decode_responses=True) as client:
        await _live(client)


async def test_in_another_database_and_under_another_prefix(
    redis_url: str, redis_client: redis.Redis
) -> None:
    await _live(f"{redis_url}/3", prefix="staging:bull")

    assert redis_client.dbsize() == 0


async def test_on_a_server_that_comes_with_toril() -> None:
    await _live("embedded://")


async def test_a_server_that_comes_with_toril_keeps_its_jobs(embedded_folder: Path) -> None:
    url = f"embedded://{embedded_folder}"
    async with AsyncQueue("mail", url, emitter=Emitter()) as queue:
        await queue.add("n", 21)
    stop_embedded()

    async with (
        AsyncQueue("mail", url, emitter=Emitter()) as queue,
        working(double, url) as work,
    ):
        await work.events.next(JobCompleted)
        job = await queue.get_job("1")
        assert job is not None
        assert await job.result(timeout=5) == 42


async def test_a_queue_without_braces_lives_as_well(redis_url: str) -> None:
    await _live(redis_url, hash_tag=False)
