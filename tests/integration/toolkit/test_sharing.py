"""What is particular to event loops, full pools, and the connection of a job."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.support.operations import Bump, Look
from tests.support.proxy import Proxy
from tests.support.proxy_rules import Fault, Rule

from toril import AsyncQueue, AsyncWorker
from toril.bullmq import AsyncJob, Job
from toril.connection import AsyncConnection, Connection
from toril.core.errors import UnavailableError, WrongLoopError
from toril.toolkit._async.client import AsyncClient
from toril.toolkit._sync.client import Client


async def test_an_object_is_refused_in_another_loop(redis_url: str) -> None:
    client = AsyncClient(redis_url, timeout_ms=1_000)
    await client.run(Look("a"))

    def elsewhere() -> None:
        asyncio.run(client.run(Look("a")))

    with ThreadPoolExecutor() as threads, pytest.raises(WrongLoopError):
        await asyncio.wrap_future(threads.submit(elsewhere))
    await client.close()


async def test_a_pool_in_which_all_are_busy_is_waited_for_until_the_deadline(proxy: Proxy) -> None:
    async with AsyncConnection(proxy.url) as connection:
        client = AsyncClient(connection, timeout_ms=300)
        await client.run(Look("a"))
        proxy.silence()
        slow = [asyncio.create_task(connection.runner.run(Look("a"))) for _ in range(40)]
        await asyncio.wait(slow, timeout=0.05)

        with pytest.raises(UnavailableError, match="all 32 connections are in use"):
            await client.run(Look("a"))

        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)


async def test_a_moment_of_trouble_is_one_moment_for_all_who_call(proxy: Proxy) -> None:
    async with AsyncConnection(proxy.url) as connection:
        client = AsyncClient(connection, timeout_ms=1_000)
        rule = proxy.add_rule(Rule(b"EVALSHA", Fault.LOSE_REQUEST, times=30))

        assert await asyncio.gather(*(client.run(Look("a")) for _ in range(30))) == [0] * 30
        assert rule.struck == 30


async def test_a_handler_uses_the_connection_of_its_worker(redis_url: str) -> None:
    async def handle(job: AsyncJob) -> int:
        return await AsyncClient(job.connection, timeout_ms=1_000).run(Bump("a"))

    async with AsyncQueue("mail", redis_url) as queue, AsyncWorker("mail", handle, redis_url):
        job = await queue.add("welcome")
        assert await job.result(10) == 1
        assert isinstance(job.connection, AsyncConnection)


async def test_a_blocking_handler_uses_the_connection_of_its_worker(redis_url: str) -> None:
    def handle(job: Job) -> int:
        assert isinstance(job.connection, Connection)
        return Client(job.connection, timeout_ms=1_000).run(Bump("a"))

    async with AsyncQueue("mail", redis_url) as queue, AsyncWorker("mail", handle, redis_url):
        job = await queue.add("welcome")
        assert await job.result(10) == 1
