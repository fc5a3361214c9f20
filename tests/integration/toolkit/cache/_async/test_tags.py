"""Entries are invalidated together, by a tag or all of them, also while they are being loaded."""

import redis

from toril.toolkit import MISSING, AsyncCache, Load


async def load_one() -> int:
    return 1


async def test_entries_of_a_tag_are_invalidated_together(redis_url: str) -> None:
    async with AsyncCache[int]("numbers", redis_url, ttl=60) as cache:
        await cache.get_or_load("one", load_one, tags=["odd", "small"])
        await cache.set("three", 3, tags=["odd"])
        await cache.set("two", 2, tags=["even"])
        await cache.invalidate_tag("odd", "prime")

        assert await cache.get("one") is MISSING
        assert await cache.get("three") is MISSING
        assert await cache.get("two") == 2


async def test_a_cleared_cache_is_empty_and_others_are_not(redis_url: str) -> None:
    async with (
        AsyncCache[int]("numbers", redis_url, ttl=60) as cache,
        AsyncCache[int]("others", redis_url, ttl=60) as other,
    ):
        await cache.set("one", 1)
        await other.set("one", 1)
        await cache.clear()

        assert await cache.get("one") is MISSING
        assert await other.get("one") == 1
        assert await cache.get_or_load("one", load_one) == 1
        assert await cache.get("one") == 1


async def test_what_was_loaded_while_its_tag_was_invalidated_is_not_served(redis_url: str) -> None:
    async with AsyncCache[int]("numbers", redis_url, ttl=60) as cache:

        async def load() -> int:
            await cache.invalidate_tag("odd")
            return 1

        assert await cache.get_or_load("one", load, tags=["odd"]) == 1
        assert await cache.get("one") is MISSING
        assert await cache.get_or_load("one", load_one, tags=["odd"]) == 1
        assert await cache.get("one") == 1


async def test_a_loader_names_tags_that_only_it_knows(redis_url: str) -> None:
    async with AsyncCache[int]("numbers", redis_url, ttl=60) as cache:

        async def load(load: Load[int]) -> int:
            load.tags = ["late"]
            return 1

        await cache.get_or_load("one", load, tags=["odd"])
        assert await cache.get("one") == 1
        entry = await cache.peek("one")
        assert entry is not None
        assert entry.tags == ("odd", "late")
        await cache.invalidate_tag("late")
        assert await cache.get("one") is MISSING


async def test_a_tag_that_the_loader_names_may_be_invalidated_while_it_runs(
    redis_url: str,
) -> None:
    async with AsyncCache[int]("numbers", redis_url, ttl=60) as cache:

        async def load(load: Load[int]) -> int:
            load.tags = ["late"]
            await cache.invalidate_tag("late")
            return 1

        await cache.get_or_load("one", load)
        assert await cache.get("one") is MISSING


async def test_a_generation_that_was_lost_revives_nothing(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncCache[int]("numbers", redis_url, ttl=60) as cache:
        await cache.set("one", 1, tags=["odd"])
        redis_client.delete("toril:c:{numbers:odd}:tag")

        assert await cache.get("one") is MISSING
        await cache.invalidate_tag("odd")
        assert await cache.get("one") is MISSING


async def test_an_invalidated_value_is_not_served_when_loading_fails(redis_url: str) -> None:
    async with AsyncCache[int]("numbers", redis_url, ttl=60, stale_for=60) as cache:
        await cache.set("one", 1, tags=["odd"])
        await cache.invalidate_tag("odd")

        async def load(load: Load[int]) -> int:
            assert load.stale is MISSING
            return 2

        assert await cache.get_or_load("one", load, tags=["odd"]) == 2
