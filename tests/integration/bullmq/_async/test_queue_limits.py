"""Limits of a queue are set, looked at and lifted, and wrong ones are refused."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import redis
from tests.support.servers import ValkeyServer

from toril import AsyncQueue
from toril.bullmq import RateLimit
from toril.core.errors import BadInputError, ScriptError

META = "bull:{mail}:meta"
LIMITER = "bull:{mail}:limiter"

Limits = Any


async def test_the_concurrency_of_all_workers_is_set_and_removed(
    every_server: ValkeyServer,
) -> None:
    async with AsyncQueue("mail", every_server.url) as queue:
        assert await queue.limits.global_concurrency() is None

        await queue.limits.set_global_concurrency(7)
        assert await queue.limits.global_concurrency() == 7
        assert not await queue.limits.is_maxed()

        await queue.limits.remove_global_concurrency()
        assert await queue.limits.global_concurrency() is None


async def test_the_rate_of_all_workers_is_set_and_removed(every_server: ValkeyServer) -> None:
    async with AsyncQueue("mail", every_server.url) as queue:
        await queue.limits.set_global_rate_limit(100, timedelta(minutes=1))
        with every_server.client() as client:
            assert client.hmget(META, "max", "duration") == [b"100", b"60000"]
        assert await queue.limits.global_rate_limit() == RateLimit(100, timedelta(minutes=1))

        await queue.limits.remove_global_rate_limit()
        assert await queue.limits.global_rate_limit() is None


async def test_jobs_are_held_back_by_hand_for_as_long_as_that_was_said(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        assert await queue.limits.rate_limit_ttl() is None

        await queue.limits.rate_limit(20)
        left = await queue.limits.rate_limit_ttl()
        assert left is not None
        assert timedelta(seconds=15) < left <= timedelta(seconds=20)
        assert redis_client.get(LIMITER) == b"9007199254740991"

        await queue.limits.remove_rate_limit()
        assert await queue.limits.rate_limit_ttl() is None


async def test_a_period_in_which_jobs_may_still_start_limits_nobody(
    redis_url: str, redis_client: redis.Redis
) -> None:
    redis_client.set(LIMITER, 3, px=20_000)
    async with AsyncQueue("mail", redis_url) as queue:
        assert await queue.limits.rate_limit_ttl() is not None
        assert await queue.limits.rate_limit_ttl(max=3) is not None
        assert await queue.limits.rate_limit_ttl(max=4) is None

        await queue.limits.set_global_rate_limit(4, 20)
        assert await queue.limits.rate_limit_ttl() is None
        assert await queue.limits.rate_limit_ttl(max=2) is not None


async def test_limits_that_somebody_has_spoilt_are_none(
    redis_url: str, redis_client: redis.Redis
) -> None:
    redis_client.hset(META, mapping={"concurrency": "many", "max": "5", "duration": ""})
    redis_client.set(LIMITER, "all")
    async with AsyncQueue("mail", redis_url) as queue:
        assert await queue.limits.global_concurrency() is None
        assert await queue.limits.global_rate_limit() is None
        assert await queue.limits.rate_limit_ttl() is None
        assert not await queue.limits.is_maxed()
    redis_client.flushdb()


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda limits: limits.set_global_concurrency(0), "concurrency"),
        (lambda limits: limits.set_global_concurrency(True), "concurrency"),
        (lambda limits: limits.set_global_concurrency("5"), "concurrency"),
        (lambda limits: limits.set_global_rate_limit(0, 1), "max"),
        (lambda limits: limits.set_global_rate_limit(1.5, 1), "max"),
        (lambda limits: limits.set_global_rate_limit(1, 0), "duration"),
        (lambda limits: limits.set_global_rate_limit(1, float("nan")), "duration"),
        (lambda limits: limits.rate_limit(0), "duration"),
        (lambda limits: limits.rate_limit(-1), "duration"),
        (lambda limits: limits.rate_limit("1"), "duration"),
        (lambda limits: limits.rate_limit_ttl(max=0), "max"),
    ],
)
async def test_what_is_no_limit_is_refused(
    redis_url: str, redis_client: redis.Redis, call: Callable[[Limits], Any], field: str
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        with pytest.raises(BadInputError, match=f"^{field}: "):
            await call(queue.limits)

    assert redis_client.dbsize() == 0


async def test_nothing_is_set_where_a_key_is_somebody_else_s(
    redis_url: str, redis_client: redis.Redis
) -> None:
    redis_client.set("bull:{mail}:marker", "no marker")
    async with AsyncQueue("mail", redis_url) as queue:
        with pytest.raises(ScriptError, match="WRONGTYPE"):
            await queue.limits.set_global_concurrency(1)
        with pytest.raises(ScriptError, match="WRONGTYPE"):
            await queue.limits.rate_limit(1)

    assert redis_client.exists(META, LIMITER) == 0
    redis_client.flushdb()
