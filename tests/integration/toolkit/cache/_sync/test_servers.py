"""A cache works on every server, and on a cluster, where its keys lie in many slots."""  # generated from _async/test_servers.py by tools/generate_sync.py: edit that file

from uuid import uuid4

from tests.support.fleets import ValkeyCluster
from tests.support.servers import ValkeyServer

from toril.toolkit import MISSING, Cache, Load


def load_seven(load: Load[int]) -> int:
    load.tags = ["late"]
    return 7


def load_many(keys: list[str]) -> dict[str, int]:
    return {key: len(key) for key in keys}


def load_one() -> int:
    return 1


def test_it_works_on_every_server(every_server: ValkeyServer) -> None:
    use_everything(every_server.url)


def test_it_works_on_a_cluster(cluster: ValkeyCluster) -> None:
    use_everything(cluster.url)


def use_everything(url: str) -> None:
    # Others use the cluster, too.
    name = f"numbers {uuid4().hex}"
    with Cache[int](name, url, ttl=60, timeout=10, on_error="raise") as cache:
        assert cache.get_or_load("one", load_one, tags=["odd", "small"]) == 1
        assert cache.get_or_load("one", load_seven, tags=["odd", "small"]) == 1
        assert cache.get("one") == 1
        assert cache.get_or_load_many(["a", "bb", "ccc"], load_many, tags=["odd"]) == {
            "a": 1,
            "bb": 2,
            "ccc": 3,
        }
        assert cache.get("ccc") == 3
        cache.invalidate_tag("odd", "other")
        for key in ("one", "a", "bb", "ccc"):
            assert cache.get(key) is MISSING

        assert cache.get_or_load("seven", load_seven, tags=["odd"]) == 7
        assert cache.get("seven") == 7
        cache.invalidate_tag("late")
        assert cache.get("seven") is MISSING

        assert cache.write("two", load_one, tags=["even"], version=3) == 1
        assert cache.get("two") == 1
        with cache.invalidating("two", "one", "seven"):
            assert cache.get_or_load("two", load_one) == 1
        assert cache.get("two") is MISSING
        assert cache.set("two", 2, version=4)
        assert cache.refresh("two", load_one) == 1
        assert cache.invalidate("two", "nothing") == 1
        cache.set("three", 3)
        cache.clear()
        assert cache.get("three") is MISSING
