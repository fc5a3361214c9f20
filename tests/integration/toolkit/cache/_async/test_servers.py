"""A cache works on every server, and on a cluster, where its keys lie in many slots."""

from uuid import uuid4

from tests.support.fleets import ValkeyCluster
from tests.support.servers import ValkeyServer

from toril.toolkit import MISSING, AsyncCache, Load


async def load_seven(load: Load[int]) -> int:
    load.tags = ["late"]
    return 7


async def load_many(keys: list[str]) -> dict[str, int]:
    return {key: len(key) for key in keys}


async def load_one() -> int:
    return 1


async def test_it_works_on_every_server(every_server: ValkeyServer) -> None:
    await use_everything(every_server.url)


async def test_it_works_on_a_cluster(cluster: ValkeyCluster) -> None:
    await use_everything(cluster.url)


async def use_everything(url: str) -> None:
    # Others use the cluster, too.
    name = f"numbers {uuid4().hex}"
    async with AsyncCache[int](name, url, ttl=60, timeout=10, on_error="raise") as cache:
        assert await cache.get_or_load("one", load_one, tags=["odd", "small"]) == 1
        assert await cache.get_or_load("one", load_seven, tags=["odd", "small"]) == 1
        assert await cache.get("one") == 1
        assert await cache.get_or_load_many(["a", "bb", "ccc"], load_many, tags=["odd"]) == {
            "a": 1,
            "bb": 2,
            "ccc": 3,
        }
        assert await cache.get("ccc") == 3
        await cache.invalidate_tag("odd", "other")
        for key in ("one", "a", "bb", "ccc"):
            assert await cache.get(key) is MISSING

        assert await cache.get_or_load("seven", load_seven, tags=["odd"]) == 7
        assert await cache.get("seven") == 7
        await cache.invalidate_tag("late")
        assert await cache.get("seven") is MISSING

        assert await cache.write("two", load_one, tags=["even"], version=3) == 1
        assert await cache.get("two") == 1
        async with cache.invalidating("two", "one", "seven"):
            assert await cache.get_or_load("two", load_one) == 1
        assert await cache.get("two") is MISSING
        assert await cache.set("two", 2, version=4)
        assert await cache.refresh("two", load_one) == 1
        assert await cache.invalidate("two", "nothing") == 1
        await cache.set("three", 3)
        await cache.clear()
        assert await cache.get("three") is MISSING
