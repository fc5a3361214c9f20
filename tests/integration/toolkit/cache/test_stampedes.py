"""Many want what is missing, in one process: it is loaded once."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from time import monotonic

import pytest

from toril.toolkit import AsyncCache, Cache, LoaderFailedError, LoaderTimeoutError

CALLERS = 50


async def test_tasks_that_miss_at_once_load_once(redis_url: str) -> None:
    runs = 0

    async def load() -> int:
        nonlocal runs
        runs += 1
        await asyncio.sleep(0.2)  # noqa: TID251 - a loader that takes its time
        return runs

    async with AsyncCache[int]("numbers", redis_url, ttl=60) as cache:
        values = await asyncio.gather(*(cache.get_or_load("one", load) for _ in range(CALLERS)))

    assert values == [1] * CALLERS


def test_threads_that_miss_at_once_load_once(redis_url: str) -> None:
    together = threading.Barrier(CALLERS)
    slow = threading.Event()
    runs: list[int] = []

    def load() -> int:
        runs.append(1)
        slow.wait(0.2)
        return len(runs)

    def call(cache: Cache[int]) -> int:
        together.wait()
        return cache.get_or_load("one", load)

    with Cache[int]("numbers", redis_url, ttl=60) as cache, ThreadPoolExecutor(CALLERS) as threads:
        values = list(threads.map(call, [cache] * CALLERS))

    assert values == [1] * CALLERS


async def test_who_comes_after_a_tag_was_invalidated_does_not_join_a_loading_from_before(
    redis_url: str,
) -> None:
    begun, may_end = asyncio.Event(), asyncio.Event()

    async def load_old() -> str:
        begun.set()
        await may_end.wait()
        return "old"

    async def load_new() -> str:
        return "new"

    async with AsyncCache[str]("words", redis_url, ttl=60) as cache:
        before = asyncio.create_task(cache.get_or_load("one", load_old, tags=["all"]))
        await begun.wait()
        await cache.invalidate_tag("all")
        after = asyncio.create_task(cache.get_or_load("one", load_new, tags=["all"]))
        await asyncio.wait([after], timeout=0.05)
        may_end.set()

        assert await before == "old"
        assert await after == "new"


def test_nor_does_a_thread(redis_url: str) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def load_old() -> str:
        begun.set()
        assert may_end.wait(5)
        return "old"

    with Cache[str]("words", redis_url, ttl=60) as cache, ThreadPoolExecutor(2) as threads:
        before = threads.submit(cache.get_or_load, "one", load_old)
        assert begun.wait(5)
        cache.clear()
        after = threads.submit(cache.get_or_load, "one", lambda: "new")
        assert wait([after], 0.05).not_done
        may_end.set()

        assert before.result(5) == "old"
        assert after.result(5) == "new"


async def test_those_who_waited_for_a_loader_that_failed_are_told(redis_url: str) -> None:
    async def load() -> int:
        await asyncio.sleep(0.1)  # noqa: TID251 - a loader that takes its time
        raise OSError

    async with AsyncCache[int]("numbers", redis_url, ttl=60) as cache:
        calls = (cache.get_or_load("one", load) for _ in range(CALLERS))
        ends = await asyncio.gather(*calls, return_exceptions=True)

    assert [type(end) for end in ends if not isinstance(end, LoaderFailedError)] == [OSError]


async def test_a_loader_that_takes_too_long_is_broken_off(redis_url: str) -> None:
    broken_off = False

    async def load() -> int:
        nonlocal broken_off
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            broken_off = True
            raise
        return 1

    async with AsyncCache[int]("numbers", redis_url, ttl=60, hard_timeout=0.1) as cache:
        with pytest.raises(LoaderTimeoutError) as late:
            await cache.get_or_load("one", load)

    assert broken_off
    assert late.value.timeout_ms == 100


def test_a_blocking_loader_that_takes_too_long_is_left_behind(redis_url: str) -> None:
    ended = threading.Event()

    def load() -> int:
        ended.wait(10)
        return 1

    with Cache[int]("numbers", redis_url, ttl=60, hard_timeout=0.1) as cache:
        started = monotonic()
        with pytest.raises(LoaderTimeoutError):
            cache.get_or_load("one", load)
        assert monotonic() - started < 2
        ended.set()


async def test_who_comes_while_a_loading_that_nobody_wants_cleans_up_does_not_join_it(
    redis_url: str,
) -> None:
    begun, leaving, may_leave = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def load_for_ever() -> int:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            leaving.set()
            await may_leave.wait()
        raise AssertionError

    async def load() -> int:
        return 1

    async with AsyncCache[int]("numbers", redis_url, ttl=60) as cache:
        first = asyncio.create_task(cache.get_or_load("one", load_for_ever))
        await begun.wait()
        first.cancel()
        await leaving.wait()
        second = asyncio.create_task(cache.get_or_load("one", load))
        await asyncio.wait((second,), timeout=0.2)  # it would join, if there was something to
        may_leave.set()

        assert await second == 1


async def test_a_caller_who_leaves_does_not_take_the_loading_with_him(redis_url: str) -> None:
    begun, goes_on = asyncio.Event(), asyncio.Event()

    async def load() -> int:
        begun.set()
        await goes_on.wait()
        return 1

    async with AsyncCache[int]("numbers", redis_url, ttl=60) as cache:
        first = asyncio.create_task(cache.get_or_load("one", load))
        await begun.wait()
        second = asyncio.create_task(cache.get_or_load("one", load))
        await cache.get("one")
        first.cancel()
        goes_on.set()

        assert await second == 1


async def test_the_last_caller_who_leaves_gives_the_lease_back(redis_url: str) -> None:
    begun = asyncio.Event()

    async def load_for_ever() -> int:
        begun.set()
        await asyncio.Event().wait()
        return 1

    async def load() -> int:
        return 2

    async with AsyncCache[int]("numbers", redis_url, ttl=60, lease=60) as cache:
        call = asyncio.create_task(cache.get_or_load("one", load_for_ever))
        await begun.wait()
        call.cancel()
        await asyncio.wait((call,))

        async with asyncio.timeout(5):
            assert await cache.get_or_load("one", load) == 2
