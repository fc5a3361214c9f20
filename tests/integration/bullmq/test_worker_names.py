"""A worker is known to whoever lists the workers, from its start to its end."""

import asyncio

import redis
from tests.integration.bullmq.workers import until, working
from tests.support.fleets import ValkeyCluster
from tests.support.proxy import Proxy

from toril import AsyncJob, AsyncQueue, Queue
from toril.bullmq.operations.inspect.list_clients import ListClients
from toril.connection import AsyncRunner, Target
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import JobClaimed


async def test_a_worker_that_is_busy_from_its_start_is_known(redis_url: str) -> None:
    gate = asyncio.Event()

    async def hold(_: AsyncJob) -> None:
        await gate.wait()

    async with AsyncQueue("mail", redis_url, emitter=Emitter()) as queue:
        await queue.add_many([("n", 0)] * 2)
        async with working(hold, redis_url, name="busy") as work:
            await work.events.next(JobClaimed)

            assert [worker.name for worker in await queue.workers.list()] == ["busy"]
            gate.set()
        await until(lambda: not _names(redis_url), "the worker is gone")


def _names(url: str) -> list[str]:
    with Queue("mail", url, emitter=Emitter()) as queue:
        return [worker.name for worker in queue.workers.list()]


async def test_workers_are_told_apart_on_a_cluster(cluster: ValkeyCluster) -> None:
    async def ready(_: AsyncJob) -> None:
        return

    async with (
        AsyncQueue("named", cluster.url, emitter=Emitter()) as queue,
        AsyncQueue("other", cluster.url, emitter=Emitter()) as other,
        working(ready, cluster.url, queue="named", name="one"),
        working(ready, cluster.url, queue="named", name="two"),
        working(ready, cluster.url, queue="other", name="three"),
    ):
        assert [worker.name for worker in await queue.workers.list()] == ["one", "two"]
        assert [worker.name for worker in await other.workers.list()] == ["three"]


async def test_every_node_of_a_cluster_is_asked(cluster: ValkeyCluster) -> None:
    async with AsyncRunner(Target.of(cluster.url)) as runner:
        answers = await runner.ask_every_server(ListClients())

    assert len(answers) == 3
    assert all(answers)


async def test_a_question_whose_answer_is_lost_is_asked_again(
    redis_url: str, proxy: Proxy, redis_client: redis.Redis
) -> None:
    del redis_url, redis_client
    async with AsyncQueue("mail", proxy.url, hash_tag=False, emitter=Emitter()) as queue:
        await queue.workers.list()
        proxy.cut_after(b"LIST")

        assert await queue.workers.list() == []
    assert proxy.cuts == 1
