"""Popular values are renewed before their time, and stale ones hide what fails meanwhile."""

import asyncio
import math
import random
import threading
from time import monotonic

import pytest
import redis
from tests.support.event_log import EventLog

from toril.connection import Runner, Target
from toril.core.errors import TorilError
from toril.telemetry.toolkit_cache import CacheMissed, CacheServedStale
from toril.toolkit import AsyncCache, Cache, Load
from toril.toolkit.cache.operations.fetch import Fetch, Found
from toril.toolkit.cache.operations.fill import Fill
from toril.toolkit.cache.operations.new_value import NewValue
from toril.toolkit.cache.wire import CacheKeys

LEFT_US = 1_000 * 1_000_000
"""So long that it is the same from the first draw to the last."""


@pytest.mark.parametrize("share", [0.05, 0.25, 0.5, 0.75, 0.95])
def test_the_lot_falls_as_often_as_it_should(redis_url: str, share: float) -> None:
    _draw(redis_url, share, draws=2_000)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("share", [0.05, 0.25, 0.5, 0.75, 0.95])
def test_the_lot_falls_as_often_as_it_should_in_the_long_run(redis_url: str, share: float) -> None:
    _draw(redis_url, share, draws=20_000)


def _draw(url: str, share: float, *, draws: int) -> None:
    """The share of callers who are to renew is e to the -(time left / time of loading)."""
    keys = CacheKeys("toril", "lots").entry("a")
    compute_us = round(LEFT_US / -math.log(share))
    value = NewValue(codec=1, payload=b"1", ttl_us=LEFT_US, life_ms=LEFT_US // 1_000)

    def fetch(token: str, draw: float) -> Fetch:
        return Fetch(
            keys=keys,
            generation_keys=(),
            keep_ms=60_000,
            token=token,
            lease_ms=3_600_000,
            draw=draw,
        )

    with Runner(Target.of(url)) as runner:
        runner.run(fetch("leader", 0))
        runner.run(Fill(keys=keys, token="leader", value=value, compute_us=compute_us))  # noqa: S106
        due = 0
        for _ in range(draws // 500):
            lots = [-math.log(1 - random.random()) for _ in range(500)]
            for found in runner.run_all([fetch("other", lot) for lot in lots]):
                assert not isinstance(found, TorilError)
                due += found.found is not Found.FRESH

    # Four deviations: one in 16,000 fails for nothing.
    assert abs(due / draws - share) < 4 * math.sqrt(share * (1 - share) / draws)


async def test_a_popular_value_is_never_missed_and_seldom_loaded(redis_url: str) -> None:
    await _read_much(redis_url, ttl_s=1.0, load_s=0.05, reads_s=3.0)


@pytest.mark.long
@pytest.mark.timeout(600)
async def test_a_popular_value_is_never_missed_and_seldom_loaded_for_a_minute(
    redis_url: str,
) -> None:
    await _read_much(redis_url, ttl_s=5.0, load_s=0.1, reads_s=60.0)


async def _read_much(url: str, *, ttl_s: float, load_s: float, reads_s: float) -> None:
    log, loads = EventLog(), 0

    async def load() -> int:
        nonlocal loads
        loads += 1
        await asyncio.sleep(load_s)  # noqa: TID251 - a loader that takes its time
        return loads

    async with AsyncCache[int](
        "popular", url, ttl=ttl_s, stale_for=60, timeout=10, emitter=log.emitter
    ) as cache:
        ends = monotonic() + reads_s

        async def read() -> None:
            while monotonic() < ends:
                await cache.get_or_load("one", load)
                await asyncio.sleep(0.01)  # noqa: TID251 - a hundred readers of one a second

        await asyncio.gather(*(read() for _ in range(5)))

    rounds = reads_s / ttl_s
    assert rounds * 0.8 <= loads <= rounds * 2 + 1
    assert len(log.of(CacheMissed)) <= 5, "only the first readers had to wait"


async def test_a_stale_value_hides_a_loader_that_fails(redis_url: str) -> None:
    log, runs = EventLog(), 0

    async def load() -> int:
        nonlocal runs
        runs += 1
        if runs > 1:
            raise OSError
        return 1

    async with AsyncCache[int](
        "numbers",
        redis_url,
        ttl=0.05,
        stale_for=60,
        error_backoff=0.5,
        timeout=10,
        emitter=log.emitter,
    ) as cache:
        started = monotonic()
        while monotonic() - started < 1.5:
            assert await cache.get_or_load("one", load) == 1
            await asyncio.sleep(0.005)  # noqa: TID251 - readers again and again

    assert 2 <= runs <= 1 + 1.5 / 0.5 + 1
    assert log.of(CacheServedStale)


async def test_a_loader_sees_what_was_there_and_may_keep_it(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async def load() -> str:
        return "page"

    async def ask_again(load: Load[str]) -> str:
        assert load.stale == "page"
        load.ttl = 30
        return load.not_modified()

    async with AsyncCache[str]("pages", redis_url, ttl=60, timeout=10) as cache:
        await cache.get_or_load("a", load)
        assert await cache.refresh("a", ask_again) == "page"
        entry = await cache.peek("a")

    assert entry is not None
    assert 26 < entry.ttl <= 33
    assert redis_client.pttl("toril:c:{pages:a}:v") <= 33_000


async def test_whoever_waits_no_longer_gets_the_stale_value_and_the_loading_goes_on(
    redis_url: str,
) -> None:
    goes_on = asyncio.Event()

    async def load() -> str:
        return "old"

    async def load_slowly() -> str:
        await goes_on.wait()
        return "new"

    async with AsyncCache[str]("pages", redis_url, ttl=60, soft_timeout=0.02, timeout=10) as cache:
        await cache.get_or_load("a", load)
        assert await cache.refresh("a", load_slowly) == "old"
        goes_on.set()
        async with asyncio.timeout(10):
            assert await cache.refresh("a", load_slowly) == "new"


def test_a_blocking_loader_goes_on_in_a_thread(redis_url: str) -> None:
    goes_on = threading.Event()

    def load_slowly() -> str:
        assert goes_on.wait(10)
        return "new"

    with Cache[str]("pages", redis_url, ttl=60, soft_timeout=0.02, timeout=10) as cache:
        cache.get_or_load("a", lambda: "old")
        assert cache.refresh("a", load_slowly) == "old"
        assert cache.get("a") == "old"
        goes_on.set()
        ends = monotonic() + 10
        while cache.get("a") == "old":
            assert monotonic() < ends
        assert cache.get("a") == "new"
