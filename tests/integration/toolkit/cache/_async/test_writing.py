"""A change that goes through the cache leaves in it what it returned, or nothing."""

import pytest
import redis
from tests.support.event_log import EventLog

from toril.core.errors import BadInputError
from toril.telemetry.toolkit_cache import CacheWrote
from toril.toolkit import MISSING, AsyncCache


def ends(log: EventLog) -> list[str]:
    return [event.end for event in log.of(CacheWrote)]


async def test_what_a_change_returns_is_kept(redis_url: str) -> None:
    log = EventLog()
    async with AsyncCache[str]("users", redis_url, ttl=60, emitter=log.emitter) as cache:
        await cache.set("1", "Ada")

        async def change() -> str:
            assert await cache.get("1") is MISSING
            return "Grace"

        assert await cache.write("1", change) == "Grace"
        assert await cache.get("1") == "Grace"

    assert ends(log) == ["stored"]


async def test_a_change_that_fails_leaves_nothing(redis_url: str) -> None:
    async with AsyncCache[str]("users", redis_url, ttl=60) as cache:
        await cache.set("1", "Ada")

        async def change() -> str:
            raise OSError("no such table")

        with pytest.raises(OSError, match="no such table"):
            await cache.write("1", change)
        assert await cache.get("1") is MISSING
        assert await cache.set("1", "Ada")


async def test_in_the_scope_of_a_change_nothing_is_stored(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncCache[str]("users", redis_url, ttl=60) as cache:
        await cache.set("1", "Ada")

        async def load() -> str:
            return "Ada"

        async with cache.invalidating("1", "2"):
            assert await cache.get_or_load("1", load) == "Ada"
            assert await cache.get("1") is MISSING
            assert not await cache.set("2", "Ada")

        assert await cache.get("1") is MISSING
        assert await cache.set("2", "Grace")

    left = redis_client.keys("toril:cl:*")
    assert sorted(left) == [b"toril:cl:{users:1}:changed", b"toril:cl:{users:2}:changed"]
    assert all(0 < redis_client.pttl(key) <= 60_000 for key in left)


async def test_what_was_read_before_a_change_is_not_stored_after_it(redis_url: str) -> None:
    async with AsyncCache[str]("users", redis_url, ttl=60) as cache:

        async def load() -> str:
            async with cache.invalidating("1"):
                pass
            return "Ada"

        assert await cache.get_or_load("1", load) == "Ada"
        assert await cache.get("1") is MISSING


async def test_of_two_changes_that_overlap_neither_is_kept(redis_url: str) -> None:
    log = EventLog()
    async with AsyncCache[str]("users", redis_url, ttl=60, emitter=log.emitter) as cache:

        async def change() -> str:
            async def other() -> str:
                return "Grace"

            await cache.write("1", other)
            return "Ada"

        assert await cache.write("1", change) == "Ada"
        assert await cache.get("1") is MISSING

    assert ends(log) == ["overlapped", "overlapped"]


@pytest.mark.parametrize(("inner", "outer", "kept"), [(1, 2, "outer"), (2, 1, MISSING)])
async def test_with_versions_the_highest_is_kept(
    redis_url: str, inner: int, outer: int, kept: object
) -> None:
    async with AsyncCache[str]("users", redis_url, ttl=60) as cache:

        async def change() -> str:
            async def other() -> str:
                return "inner"

            await cache.write("1", other, version=inner)
            return "outer"

        await cache.write("1", change, version=lambda _: outer)

        assert await cache.get("1") == kept


async def test_an_older_version_does_not_come_back_after_an_invalidation(redis_url: str) -> None:
    log = EventLog()
    async with AsyncCache[str]("users", redis_url, ttl=60, emitter=log.emitter) as cache:

        async def change() -> str:
            return "old"

        assert await cache.set("1", "new", version=2)
        assert not await cache.set("1", "old", version=1)
        assert await cache.get("1") == "new"
        await cache.invalidate("1")
        await cache.write("1", change, version=1)

        assert await cache.get("1") is MISSING

    assert ends(log) == ["outdone"]


async def test_a_value_that_cannot_be_stored_was_written_all_the_same(redis_url: str) -> None:
    async with AsyncCache[object]("things", redis_url, ttl=60, max_value_bytes=10) as cache:

        async def unusual() -> object:
            return {1, 2}

        async def large() -> object:
            return "more than ten letters"

        assert await cache.write("a", unusual) == {1, 2}
        assert await cache.write("a", large) == "more than ten letters"
        assert await cache.get("a") is MISSING


async def test_a_version_that_is_none_is_refused_before_the_change(redis_url: str) -> None:
    async with AsyncCache[str]("users", redis_url, ttl=60) as cache:

        async def change() -> str:
            raise AssertionError("it was begun")

        with pytest.raises(BadInputError):
            await cache.write("1", change, version=-1)


async def test_a_function_writes_through(redis_url: str) -> None:
    async with AsyncCache[str]("users", redis_url, ttl=60) as cache:

        @cache.writes("user:{user_id}", tags=["org:{org}"])
        async def rename(user_id: int, name: str, *, org: int = 7) -> str:
            """Rename."""
            assert (user_id, org) == (1, 7)
            return name

        assert await rename(1, "Ada") == "Ada"
        assert rename.__doc__ == "Rename."
        entry = await cache.peek("user:1")
        assert entry is not None
        assert (entry.value, entry.tags) == ("Ada", ("org:7",))
