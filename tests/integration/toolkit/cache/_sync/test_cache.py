"""A cache gives back what was stored, loads what is missing, and forgets what was invalidated."""  # generated from _async/test_cache.py by tools/generate_sync.py: edit that file

from collections.abc import Callable
from dataclasses import dataclass

import pytest
import redis
from tests.support.event_log import EventLog

from toril.core.errors import BadInputError
from toril.telemetry.toolkit_cache import CacheFillRejected, CacheUndecodable
from toril.toolkit import MISSING, Cache, CacheStats, JsonCodec, Load


class Counter:
    """A loader that counts how often it runs, and returns that."""

    def __init__(self) -> None:
        self.runs = 0

    def load(self) -> int:
        self.runs += 1
        return self.runs


@dataclass(frozen=True)
class User:
    name: str


def test_what_is_missing_is_loaded_once_and_then_read(redis_url: str) -> None:
    counter = Counter()
    with Cache[int]("numbers", redis_url, ttl=60) as cache:
        assert cache.get("one") is MISSING
        assert cache.get_or_load("one", counter.load) == 1
        assert cache.get_or_load("one", counter.load) == 1
        assert cache.get("one") == 1

    assert counter.runs == 1


@pytest.mark.parametrize("value", [None, 0, "", [], False, {}, 1.5, "æ", [None]])
def test_every_value_is_told_from_nothing(redis_url: str, value: object) -> None:
    with Cache[object]("things", redis_url, ttl=60) as cache:

        def load() -> object:
            return value

        assert cache.get_or_load("thing", load) == value
        assert cache.get("thing") == value
        assert cache.set("other", value)
        assert cache.get("other") == value


def test_none_is_not_kept_where_it_is_no_value(redis_url: str) -> None:
    counted = 0

    def load() -> None:
        nonlocal counted
        counted += 1

    with Cache[None]("nothing", redis_url, ttl=60, cache_none=False) as cache:
        assert cache.get_or_load("a", load) is None
        assert cache.get_or_load("a", load) is None
        assert cache.get("a") is MISSING

    assert counted == 2


def test_a_value_has_the_type_of_its_codec(redis_url: str) -> None:
    with Cache("users", redis_url, ttl=60, codec=JsonCodec(User)) as cache:
        cache.set("1", User("Ada"))

        assert cache.get("1") == User("Ada")


def test_what_cannot_be_read_is_loaded_anew(
    redis_url: str, redis_client: redis.Redis
) -> None:
    log = EventLog()
    with Cache[str]("users", redis_url, ttl=60) as cache:
        cache.set("1", "Ada")
    codec = JsonCodec(User)
    with Cache("users", redis_url, ttl=60, codec=codec, emitter=log.emitter) as cache:

        def load() -> User:
            return User("Grace")

        assert cache.get("1") is MISSING
        assert cache.get_or_load("1", load) == User("Grace")
        redis_client.set("toril:c:{users:1}:v", b"\x01 not an envelope")
        assert cache.get("1") is MISSING
        assert cache.get_or_load("1", load) == User("Grace")
        assert cache.get("1") == User("Grace")

    assert len(log.of(CacheUndecodable)) == 4


def test_invalidated_entries_are_gone(redis_url: str) -> None:
    with Cache[int]("numbers", redis_url, ttl=60) as cache:
        cache.set("one", 1)
        cache.set("two", 2)

        assert cache.invalidate("one", "two", "three") == 2
        assert cache.get("one") is MISSING
        assert cache.invalidate() == 0


def test_what_was_read_before_an_invalidation_is_not_stored(redis_url: str) -> None:
    log = EventLog()
    with Cache[str]("users", redis_url, ttl=60, emitter=log.emitter) as cache:

        def load() -> str:
            cache.invalidate("1")
            return "old"

        assert cache.get_or_load("1", load) == "old"
        assert cache.get("1") is MISSING

    assert len(log.of(CacheFillRejected)) == 1


def test_a_loader_says_what_becomes_of_its_value(redis_url: str) -> None:
    with Cache[str]("pages", redis_url, ttl=60) as cache:

        def load(load: Load[str]) -> str:
            assert load.stale is MISSING
            load.no_store()
            return "for now"

        assert cache.get_or_load("a", load) == "for now"
        assert cache.get("a") is MISSING


def test_all_keys_end(redis_url: str, redis_client: redis.Redis) -> None:
    with Cache[int]("numbers", redis_url, ttl=60) as cache:
        cache.get_or_load("one", Counter().load, tags=["odd"])
        cache.set("two", 2, version=1)

    keys = redis_client.keys()
    assert len(keys) == 5
    assert all(redis_client.ttl(key) > 0 for key in keys)


def test_a_loader_that_waits_for_its_own_entry_is_told(redis_url: str) -> None:
    with Cache[int]("numbers", redis_url, ttl=60) as cache:

        def load() -> int:
            return cache.get_or_load("one", load)

        with pytest.raises(BadInputError, match="the very entry that it loads"):
            cache.get_or_load("one", load)


@pytest.mark.parametrize(
    "call",
    [
        lambda cache: cache.get(""),
        lambda cache: cache.set("a", {1, 2}),
        lambda cache: cache.set("a", 1, version=-1),
        lambda cache: cache.set("a", 1, ttl=0),
        lambda cache: cache.set("a", 1, tags="odd"),
        lambda cache: cache.get_or_load("a", None, ttl=-1),
        lambda cache: cache.invalidate("a", ""),
    ],
)
def test_bad_input_is_refused_before_anything_is_sent(
    redis_url: str, redis_client: redis.Redis, call: Callable[[Cache[object]], object]
) -> None:
    with Cache[object]("numbers", redis_url, ttl=60) as cache:
        with pytest.raises(BadInputError):
            call(cache)

    assert redis_client.keys() == []


def test_what_was_done_is_counted(redis_url: str, redis_client: redis.Redis) -> None:
    def load_one() -> int:
        return 1

    def fail() -> int:
        raise LookupError

    with Cache[int]("numbers", redis_url, ttl=60, max_value_bytes=9) as cache:
        for _ in range(3):
            cache.get_or_load("one", load_one)
        cache.get("one")
        with pytest.raises(LookupError):
            cache.get_or_load("two", fail)
        cache.set("three", 10**10)
        [key] = redis_client.keys("toril:c:*one}:v")
        redis_client.set(key, b"spoilt")
        cache.get("one")

        assert cache.stats() == CacheStats(
            hits=3,
            local_hits=0,
            misses=2,
            served_stale=0,
            filled=1,
            rejected=1,
            load_failed=1,
            undecodable=1,
            degraded=0,
        )
