"""Entries are invalidated together, by a tag or all of them, also while they are being loaded."""  # generated from _async/test_tags.py by tools/generate_sync.py: edit that file

import redis

from toril.toolkit import MISSING, Cache, Load


def load_one() -> int:
    return 1


def test_entries_of_a_tag_are_invalidated_together(redis_url: str) -> None:
    with Cache[int]("numbers", redis_url, ttl=60) as cache:
        cache.get_or_load("one", load_one, tags=["odd", "small"])
        cache.set("three", 3, tags=["odd"])
        cache.set("two", 2, tags=["even"])
        cache.invalidate_tag("odd", "prime")

        assert cache.get("one") is MISSING
        assert cache.get("three") is MISSING
        assert cache.get("two") == 2


def test_a_cleared_cache_is_empty_and_others_are_not(redis_url: str) -> None:
    with (
        Cache[int]("numbers", redis_url, ttl=60) as cache,
        Cache[int]("others", redis_url, ttl=60) as other,
    ):
        cache.set("one", 1)
        other.set("one", 1)
        cache.clear()

        assert cache.get("one") is MISSING
        assert other.get("one") == 1
        assert cache.get_or_load("one", load_one) == 1
        assert cache.get("one") == 1


def test_what_was_loaded_while_its_tag_was_invalidated_is_not_served(redis_url: str) -> None:
    with Cache[int]("numbers", redis_url, ttl=60) as cache:

        def load() -> int:
            cache.invalidate_tag("odd")
            return 1

        assert cache.get_or_load("one", load, tags=["odd"]) == 1
        assert cache.get("one") is MISSING
        assert cache.get_or_load("one", load_one, tags=["odd"]) == 1
        assert cache.get("one") == 1


def test_a_loader_names_tags_that_only_it_knows(redis_url: str) -> None:
    with Cache[int]("numbers", redis_url, ttl=60) as cache:

        def load(load: Load[int]) -> int:
            load.tags = ["late"]
            return 1

        cache.get_or_load("one", load, tags=["odd"])
        assert cache.get("one") == 1
        entry = cache.peek("one")
        assert entry is not None
        assert entry.tags == ("odd", "late")
        cache.invalidate_tag("late")
        assert cache.get("one") is MISSING


def test_a_tag_that_the_loader_names_may_be_invalidated_while_it_runs(
    redis_url: str,
) -> None:
    with Cache[int]("numbers", redis_url, ttl=60) as cache:

        def load(load: Load[int]) -> int:
            load.tags = ["late"]
            cache.invalidate_tag("late")
            return 1

        cache.get_or_load("one", load)
        assert cache.get("one") is MISSING


def test_a_generation_that_was_lost_revives_nothing(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with Cache[int]("numbers", redis_url, ttl=60) as cache:
        cache.set("one", 1, tags=["odd"])
        redis_client.delete("toril:c:{numbers:odd}:tag")

        assert cache.get("one") is MISSING
        cache.invalidate_tag("odd")
        assert cache.get("one") is MISSING


def test_an_invalidated_value_is_not_served_when_loading_fails(redis_url: str) -> None:
    with Cache[int]("numbers", redis_url, ttl=60, stale_for=60) as cache:
        cache.set("one", 1, tags=["odd"])
        cache.invalidate_tag("odd")

        def load(load: Load[int]) -> int:
            assert load.stale is MISSING
            return 2

        assert cache.get_or_load("one", load, tags=["odd"]) == 2
