"""Without its server a cache loads, one at a time, and does not wait for it again and again."""  # generated from _async/test_outages.py by tools/generate_sync.py: edit that file

from time import monotonic

import pytest
from tests.support.event_log import EventLog
from tests.support.proxy import Proxy

from toril.core.errors import OutcomeUnknownError, UnavailableError
from toril.telemetry.toolkit_cache import CacheDegraded, CachePaused, CacheResumed
from toril.toolkit import MISSING, Cache, Load
from toril.toolkit.cache._sync.flights import until_changed
from toril.toolkit.cache.level import NoLevel


def load_one() -> int:
    return 1


def test_a_cache_goes_on_without_its_server(proxy: Proxy) -> None:
    log = EventLog()
    with Cache[int](
        "numbers", proxy.url, ttl=60, timeout=0.1, emitter=log.emitter
    ) as cache:
        proxy.silence()

        assert cache.get_or_load("one", load_one) == 1
        assert cache.get("one") is MISSING
        assert cache.peek("one") is None
        assert not cache.set("one", 1)
        assert cache.get_or_load_many(["one"], load_many) == {"one": 1}
        assert cache.write("one", load_one) == 1
        with pytest.raises(UnavailableError):
            cache.invalidate("one")
        with pytest.raises(UnavailableError):
            cache.invalidate_tag("odd")

    assert log.of(CacheDegraded)


def test_the_log_does_not_repeat_an_outage_with_every_call(
    proxy: Proxy, caplog: pytest.LogCaptureFixture
) -> None:
    with Cache[int]("numbers", proxy.url, ttl=60, timeout=0.01) as cache:
        proxy.silence()
        with caplog.at_level("INFO", "toril"):
            for number in range(100):
                cache.get_or_load(f"n{number}", load_one)

    told = [record.getMessage() for record in caplog.records]
    assert told
    assert len(told) == len(set(told))


def test_what_was_loaded_while_the_server_went_away_is_returned(proxy: Proxy) -> None:
    with Cache[int]("numbers", proxy.url, ttl=60, timeout=0.1) as cache:

        def load(load: Load[int]) -> int:
            load.tags = ["late"]
            proxy.silence()
            return 1

        assert cache.get_or_load("one", load) == 1


def test_a_cache_that_may_not_go_on_says_so_after_a_loading_too(proxy: Proxy) -> None:
    with Cache[int](
        "numbers", proxy.url, ttl=60, timeout=0.1, on_error="raise"
    ) as cache:

        def load(load: Load[int]) -> int:
            load.tags = ["late"]
            proxy.silence()
            return 1

        with pytest.raises((UnavailableError, OutcomeUnknownError)):
            cache.get_or_load("one", load)


def load_many(keys: list[str]) -> dict[str, int]:
    return dict.fromkeys(keys, 1)


def test_a_cache_that_may_not_go_on_says_so_before_anything_is_done(proxy: Proxy) -> None:
    with Cache[int](
        "numbers", proxy.url, ttl=60, timeout=0.1, on_error="raise"
    ) as cache:
        proxy.silence()

        def change() -> int:
            raise AssertionError("it was begun")

        with pytest.raises(UnavailableError):
            cache.get("one")
        with pytest.raises(UnavailableError):
            cache.get_or_load("one", change)
        with pytest.raises(UnavailableError):
            cache.set("one", 1)
        with pytest.raises(UnavailableError):
            cache.write("one", change)
        with pytest.raises(UnavailableError):
            with cache.invalidating("one"):
                change()


def test_a_server_that_does_not_answer_is_asked_no_more_until_it_does(proxy: Proxy) -> None:
    log = EventLog()
    with Cache[int](
        "numbers", proxy.url, ttl=60, timeout=0.1, emitter=log.emitter
    ) as cache:
        proxy.silence()
        for _ in range(5):
            cache.get_or_load("one", load_one)
        assert len(log.of(CachePaused)) == 1

        started = monotonic()
        for _ in range(100):
            assert cache.get_or_load("one", load_one) == 1
        assert monotonic() - started < 0.5

        proxy.drop_all()
        proxy.speak()
        deadline = monotonic() + 10
        while not log.of(CacheResumed):
            assert monotonic() < deadline
            until_changed(NoLevel(), "", 0.05)
        assert cache.get_or_load("one", load_one) == 1
        assert cache.get("one") == 1


def test_a_change_that_began_without_the_server_is_made_known_at_its_end(
    proxy: Proxy,
) -> None:
    with Cache[int]("numbers", proxy.url, ttl=60, timeout=0.1) as cache:
        cache.set("one", 1)
        proxy.silence()

        def change() -> int:
            proxy.drop_all()
            proxy.speak()
            return 2

        assert cache.write("one", change) == 2
        assert cache.get("one") is MISSING
