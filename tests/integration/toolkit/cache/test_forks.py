"""A fork uses the cache of its parent as if it had made it, and takes nothing from the parent."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

import pytest
from tests.support.forks import in_fork
from tests.support.servers import wait_until

from toril.toolkit import MISSING, Cache, LocalLevel


@pytest.fixture(params=[None, LocalLevel()], ids=["server", "memory"])
def cache(redis_url: str, request: pytest.FixtureRequest) -> Iterator[Cache[int]]:
    with Cache[int]("numbers", redis_url, ttl=60, lease=1, local=request.param) as cache:
        cache.get_or_load("one", lambda: 1)
        yield cache


@contextmanager
def loading(cache: Cache[int], key: str) -> Iterator[Event]:
    """Somebody loads 2 until the event is set."""
    begun, may_end = Event(), Event()

    def load() -> int:
        begun.set()
        may_end.wait(20)
        return 2

    with ThreadPoolExecutor(1) as threads:
        leader = threads.submit(cache.get_or_load, key, load)
        begun.wait(20)
        try:
            yield may_end
        finally:
            may_end.set()
        assert leader.result() == 2


def test_a_fork_reads_loads_and_changes(cache: Cache[int]) -> None:
    def works() -> bool:
        return (
            cache.get("one") == 1
            and cache.get_or_load("three", lambda: 3) == 3
            and cache.write("four", lambda: 4) == 4
            and cache.invalidate("one") == 1
        )

    with loading(cache, "two"):
        assert in_fork(works)

    wait_until(lambda: cache.get("one") is MISSING, "news of the fork")
    assert [cache.get(key) for key in ("two", "three", "four")] == [2, 3, 4]


def test_a_fork_waits_for_what_its_parent_loads(cache: Cache[int]) -> None:
    with loading(cache, "two") as may_end, ThreadPoolExecutor(1) as threads:
        fork = threads.submit(in_fork, lambda: cache.get_or_load("two", lambda: 5, fresh=True) == 2)
        may_end.wait(0.3)
        may_end.set()

        assert fork.result()


def test_locks_that_were_held_do_not_stop_a_fork(cache: Cache[int]) -> None:
    held, may_end = Event(), Event()

    def hold() -> None:
        with cache._loading._flights.lock:
            held.set()
            may_end.wait(20)

    with ThreadPoolExecutor(1) as threads:
        threads.submit(hold)
        held.wait(20)
        try:
            assert in_fork(lambda: cache.get_or_load("three", lambda: 3) == 3)
        finally:
            may_end.set()
