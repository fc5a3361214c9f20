"""Lost replies, callers that leave, invalidations in between: a cache stays true and lets go."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
import redis
from tests.support.proxy import Proxy

from toril.toolkit import MISSING, AsyncCache
from toril.toolkit.cache._async.flights import until_changed
from toril.toolkit.cache.level import NoLevel
from toril.toolkit.cache.operations.close_write import CLOSE_WRITE
from toril.toolkit.cache.operations.fetch import FETCH
from toril.toolkit.cache.operations.fill import FILL
from toril.toolkit.cache.operations.invalidate import INVALIDATE
from toril.toolkit.cache.operations.open_write import OPEN_WRITE
from toril.toolkit.cache.operations.store import STORE

Verb = Callable[[AsyncCache[int]], Awaitable[object]]


async def load_one() -> int:
    return 1


@pytest.mark.parametrize(
    ("script", "verb", "result", "kept"),
    [
        (FETCH, lambda cache: cache.get_or_load("a", load_one), 1, 1),
        (FETCH, lambda cache: cache.get("a"), 0, 0),
        (FILL, lambda cache: cache.get_or_load("b", load_one), 1, 0),
        (STORE, lambda cache: cache.set("a", 1), True, 1),
        (INVALIDATE, lambda cache: cache.invalidate("a"), 0, MISSING),
        (OPEN_WRITE, lambda cache: cache.write("a", load_one), 1, 1),
        (CLOSE_WRITE, lambda cache: cache.write("a", load_one), 1, 1),
    ],
)
async def test_a_lost_reply_changes_nothing(
    proxy: Proxy, verb: Verb, script: object, result: object, kept: object
) -> None:
    async with AsyncCache[int]("numbers", proxy.url, ttl=60, timeout=10) as cache:
        await cache.set("a", 0)
        if script is FETCH and result == 1:
            await cache.invalidate("a")
        proxy.cut_after(script.sha.encode())  # type: ignore[attr-defined]

        assert await verb(cache) == result
        assert proxy.cuts == 1
        assert await cache.get("a") == kept


async def test_a_caller_that_leaves_at_any_moment_leaves_no_lease_behind(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async def load() -> int:
        await asyncio.sleep(0)  # noqa: TID251 - one more step to be cancelled at
        return 1

    async with AsyncCache[int]("numbers", redis_url, ttl=60, lease=60, timeout=10) as cache:
        await cache.get("warm")
        for steps in range(60):
            key = f"k{steps}"
            call = asyncio.create_task(cache.get_or_load(key, load))
            for _ in range(steps):
                await asyncio.sleep(0)  # noqa: TID251 - a step, not a time
            call.cancel()
            await asyncio.wait((call,))
            async with asyncio.timeout(10):
                assert await cache.get_or_load(key, load) == 1

    assert redis_client.keys("toril:cl:*") == []


async def test_a_writer_that_is_cancelled_at_any_moment_ends_its_change(
    redis_url: str,
) -> None:
    async def change() -> int:
        await asyncio.sleep(0)  # noqa: TID251 - one more step to be cancelled at
        return 1

    async with AsyncCache[int]("numbers", redis_url, ttl=60, lease=1, timeout=10) as cache:
        await cache.get("warm")
        for steps in range(40):
            call = asyncio.create_task(cache.write("one", change))
            for _ in range(steps):
                await asyncio.sleep(0)  # noqa: TID251 - a step, not a time
            call.cancel()
            await asyncio.wait((call,))
        async with asyncio.timeout(5):
            while not await cache.set("one", 2):
                # The last change may end by its time.
                await until_changed(NoLevel(), "", 0.02)
        assert await cache.get("one") == 2


async def test_nothing_that_was_loaded_across_an_invalidation_of_its_tag_is_served(
    redis_url: str,
) -> None:
    begun, goes_on = asyncio.Semaphore(0), asyncio.Event()

    async def load() -> int:
        begun.release()
        await goes_on.wait()
        return 1

    async with AsyncCache[int]("numbers", redis_url, ttl=60, timeout=10) as cache:
        calls = [
            asyncio.create_task(cache.get_or_load(f"k{index}", load, tags=["odd"]))
            for index in range(50)
        ]
        for _ in calls:
            await begun.acquire()
        await cache.invalidate_tag("odd")
        goes_on.set()
        assert await asyncio.gather(*calls) == [1] * 50

        for index in range(50):
            assert await cache.get(f"k{index}") is MISSING


async def test_whoever_asks_after_a_change_is_not_given_what_was_read_before(
    redis_url: str,
) -> None:
    """A loading that is under way is joined only by those for whom it is recent enough."""
    truth, begun, goes_on = 1, asyncio.Event(), asyncio.Event()

    async def load_slowly() -> int:
        seen = truth
        begun.set()
        await goes_on.wait()
        return seen

    async def load() -> int:
        return truth

    async with (
        AsyncCache[int]("numbers", redis_url, ttl=60, timeout=10) as cache,
        AsyncCache[int]("numbers", redis_url, ttl=60, timeout=10) as other,
    ):
        early = asyncio.create_task(cache.get_or_load("one", load_slowly))
        await begun.wait()
        truth = 2
        await other.invalidate("one")

        assert await cache.get_or_load("one", load) == 2
        goes_on.set()
        assert await early == 1
        assert await cache.get("one") == 2
