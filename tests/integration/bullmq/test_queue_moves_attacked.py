"""Moves of a whole queue under attack: lost replies, and many at the same time."""

import asyncio

import pytest
import redis
from tests.support.proxy import Proxy

from toril import AsyncQueue
from toril.bullmq.operations.maintain.pause import PAUSE
from toril.bullmq.operations.maintain.resume import RESUME
from toril.core.script import Script
from toril.telemetry.emitter import Emitter


@pytest.mark.parametrize("script", [PAUSE, RESUME])
async def test_a_pause_and_a_resume_whose_reply_is_lost_are_sent_again(
    proxy: Proxy, redis_client: redis.Redis, script: Script
) -> None:
    async with AsyncQueue("mail", proxy.url, emitter=Emitter()) as queue:
        await queue.add_many([("n", number) for number in range(3)])
        proxy.cut_after(script.sha.encode())

        await queue.pause()
        assert await queue.is_paused()
        await queue.resume()
        assert not await queue.is_paused()

    assert proxy.cuts == 1
    assert redis_client.lrange("bull:{mail}:wait", 0, -1) == [b"3", b"2", b"1"]


async def test_ten_that_pause_and_resume_at_once_lose_no_job(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:

        async def storm() -> None:
            for _ in range(5):
                await queue.pause()
                await queue.add("n")
                await queue.resume()
                await queue.add("n")

        await asyncio.gather(*(storm() for _ in range(10)))

        assert not await queue.is_paused()
    assert redis_client.llen("bull:{mail}:wait") == 100
