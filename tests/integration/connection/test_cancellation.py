"""A call that is cancelled or interrupted never leaves its reply to the next one."""

import asyncio
import threading
import time

import pytest
import redis
from tests.support.event_log import EventLog
from tests.support.operations import Bump, Look, Pop
from tests.support.servers import wait_until

from toril.connection import AsyncLine, AsyncRunner, Line, Runner, Target
from toril.core.errors import ClosedError, OutcomeUnknownError


async def test_a_cancelled_wait_drops_its_connection_and_nothing_else(redis_url: str) -> None:
    log = EventLog()
    target = Target.of(redis_url)
    async with AsyncLine(target, key="a", purpose="test", emitter=log.emitter) as line:
        await line.run_all([Bump("a")])
        for number in range(2, 12):
            waiting = asyncio.create_task(line.read(Pop("ring", block_ms=10_000)))
            await asyncio.sleep(0)  # noqa: TID251 - one turn of the loop, to send it
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting

            assert await line.run_all([Bump("a"), Look("a")]) == [number, number]

    # Whoever cancels knows: it is no outage.
    assert log.events == []


async def test_cancelled_calls_of_a_runner_leave_no_reply_behind(redis_url: str) -> None:
    async with AsyncRunner(Target.of(redis_url)) as runner:
        await runner.run(Bump("mine", by=7))
        for _ in range(30):
            calls = [asyncio.create_task(runner.run(Bump("other"))) for _ in range(5)]
            await asyncio.sleep(0)  # noqa: TID251 - one turn of the loop, to send them
            for call in calls[::2]:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)

            assert await runner.run(Look("mine")) == 7


async def test_a_loop_that_was_held_up_finds_the_reply_that_came_meanwhile(redis_url: str) -> None:
    target = Target.of(f"{redis_url}?timeout=0.05")
    async with AsyncLine(target, key="a", purpose="test") as line:
        await line.run_all([Bump("a")])
        call = asyncio.create_task(line.run_all([Bump("a")]))
        await asyncio.sleep(0)  # noqa: TID251 - one turn of the loop, to send it
        time.sleep(0.2)  # noqa: TID251, ASYNC251 - holding up the loop is what is tested

        assert await call == [2]


def test_another_thread_can_break_a_wait(redis_url: str, redis_client: redis.Redis) -> None:
    line = Line(Target.of(redis_url), key="ring", purpose="test")
    failures: list[Exception] = []

    def wait() -> None:
        try:
            line.read(Pop("ring", block_ms=10_000))
        except OutcomeUnknownError as error:
            failures.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    wait_until(lambda: redis_client.info("clients")["blocked_clients"] == 1, "it waits")
    line.abort()
    thread.join(5)

    assert len(failures) == 1
    assert line.run_all([Bump("a")]) == [1]
    line.close()
    with pytest.raises(ClosedError):
        line.run_all([Bump("a")])


def test_a_runner_serves_many_threads(redis_url: str) -> None:
    with Runner(Target.of(redis_url)) as runner:
        threads = [
            threading.Thread(target=lambda: [runner.run(Bump("a")) for _ in range(50)])
            for _ in range(40)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(15)

        assert runner.run(Look("a")) == 2_000


async def test_a_runner_serves_many_tasks(redis_url: str) -> None:
    async with AsyncRunner(Target.of(redis_url)) as runner:
        sums = await asyncio.gather(*(runner.run(Bump("a")) for _ in range(200)))

    assert sorted(sums) == list(range(1, 201))


def test_an_async_runner_outlives_a_loop(redis_url: str) -> None:
    runner = AsyncRunner(Target.of(redis_url))

    async def bump() -> int:
        return await runner.run(Bump("a"))

    async def bump_and_close() -> int:
        async with runner:
            return await runner.run(Bump("a"))

    with asyncio.Runner() as first, asyncio.Runner() as second:
        assert first.run(bump()) == 1
        assert second.run(bump_and_close()) == 2
        first.run(runner.close())
