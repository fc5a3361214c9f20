"""A change that goes through the cache leaves in it what it returned, or nothing."""  # generated from _async/test_writing.py by tools/generate_sync.py: edit that file

import pytest
import redis
from tests.support.event_log import EventLog

from toril.core.errors import BadInputError
from toril.telemetry.toolkit_cache import CacheWrote
from toril.toolkit import MISSING, Cache


def ends(log: EventLog) -> list[str]:
    return [event.end for event in log.of(CacheWrote)]


def test_what_a_change_returns_is_kept(redis_url: str) -> None:
    log = EventLog()
    with Cache[str]("users", redis_url, ttl=60, emitter=log.emitter) as cache:
        cache.set("1", "Ada")

        def change() -> str:
            assert cache.get("1") is MISSING
            return "Grace"

        assert cache.write("1", change) == "Grace"
        assert cache.get("1") == "Grace"

    assert ends(log) == ["stored"]


def test_a_change_that_fails_leaves_nothing(redis_url: str) -> None:
    with Cache[str]("users", redis_url, ttl=60) as cache:
        cache.set("1", "Ada")

        def change() -> str:
            raise OSError("no such table")

        with pytest.raises(OSError, match="no such table"):
            cache.write("1", change)
        assert cache.get("1") is MISSING
        assert cache.set("1", "Ada")


def test_in_the_scope_of_a_change_nothing_is_stored(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with Cache[str]("users", redis_url, ttl=60) as cache:
        cache.set("1", "Ada")

        def load() -> str:
            return "Ada"

        with cache.invalidating("1", "2"):
            assert cache.get_or_load("1", load) == "Ada"
            assert cache.get("1") is MISSING
            assert not cache.set("2", "Ada")

        assert cache.get("1") is MISSING
        assert cache.set("2", "Grace")

    left = redis_client.keys("toril:cl:*")
    assert sorted(left) == [b"toril:cl:{users:1}:changed", b"toril:cl:{users:2}:changed"]
    assert all(0 < redis_client.pttl(key) <= 60_000 for key in left)


def test_what_was_read_before_a_change_is_not_stored_after_it(redis_url: str) -> None:
    with Cache[str]("users", redis_url, ttl=60) as cache:

        def load() -> str:
            with cache.invalidating("1"):
                pass
            return "Ada"

        assert cache.get_or_load("1", load) == "Ada"
        assert cache.get("1") is MISSING


def test_of_two_changes_that_overlap_neither_is_kept(redis_url: str) -> None:
    log = EventLog()
    with Cache[str]("users", redis_url, ttl=60, emitter=log.emitter) as cache:

        def change() -> str:
            def other() -> str:
                return "Grace"

            cache.write("1", other)
            return "Ada"

        assert cache.write("1", change) == "Ada"
        assert cache.get("1") is MISSING

    assert ends(log) == ["overlapped", "overlapped"]


@pytest.mark.parametrize(("inner", "outer", "kept"), [(1, 2, "outer"), (2, 1, MISSING)])
def test_with_versions_the_highest_is_kept(
    redis_url: str, inner: int, outer: int, kept: object
) -> None:
    with Cache[str]("users", redis_url, ttl=60) as cache:

        def change() -> str:
            def other() -> str:
                return "inner"

            cache.write("1", other, version=inner)
            return "outer"

        cache.write("1", change, version=lambda _: outer)

        assert cache.get("1") == kept


def test_an_older_version_does_not_come_back_after_an_invalidation(redis_url: str) -> None:
    log = EventLog()
    with Cache[str]("users", redis_url, ttl=60, emitter=log.emitter) as cache:

        def change() -> str:
            return "old"

        assert cache.set("1", "new", version=2)
        assert not cache.set("1", "old", version=1)
        assert cache.get("1") == "new"
        cache.invalidate("1")
        cache.write("1", change, version=1)

        assert cache.get("1") is MISSING

    assert ends(log) == ["outdone"]


def test_a_value_that_cannot_be_stored_was_written_all_the_same(redis_url: str) -> None:
    with Cache[object]("things", redis_url, ttl=60, max_value_bytes=10) as cache:

        def unusual() -> object:
            return {1, 2}

        def large() -> object:
            return "more than ten letters"

        assert cache.write("a", unusual) == {1, 2}
        assert cache.write("a", large) == "more than ten letters"
        assert cache.get("a") is MISSING


def test_a_version_that_is_none_is_refused_before_the_change(redis_url: str) -> None:
    with Cache[str]("users", redis_url, ttl=60) as cache:

        def change() -> str:
            raise AssertionError("it was begun")

        with pytest.raises(BadInputError):
            cache.write("1", change, version=-1)


def test_a_function_writes_through(redis_url: str) -> None:
    with Cache[str]("users", redis_url, ttl=60) as cache:

        @cache.writes("user:{user_id}", tags=["org:{org}"])
        def rename(user_id: int, name: str, *, org: int = 7) -> str:
            """Rename."""
            assert (user_id, org) == (1, 7)
            return name

        assert rename(1, "Ada") == "Ada"
        assert rename.__doc__ == "Rename."
        entry = cache.peek("user:1")
        assert entry is not None
        assert (entry.value, entry.tags) == ("Ada", ("org:7",))
