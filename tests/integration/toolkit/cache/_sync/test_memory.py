"""With memory in front of the server a value that is read again costs nothing and is right."""  # generated from _async/test_memory.py by tools/generate_sync.py: edit that file

from time import monotonic
from typing import Self

import pytest
import redis
from tests.support.event_log import EventLog

from toril.core.errors import BadInputError
from toril.telemetry.toolkit_cache import CacheHit
from toril.toolkit import MISSING, Cache, LocalLevel

PATIENCE_S = 5


class Remembering:
    """A cache with memory, and one beside it that has none: another process, as it were."""

    def __init__(self, url: str, local: LocalLevel | None = None) -> None:
        self.log = EventLog()
        self.cache = Cache[list[int]](
            "users", url, ttl=60, local=local or LocalLevel(), emitter=self.log.emitter
        )
        self.other = Cache[list[int]]("users", url, ttl=60)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.cache.close()
        self.other.close()

    def remember(self, key: str, value: list[int], tags: tuple[str, ...] = ()) -> None:
        """Store it elsewhere, and read it until it is known here."""
        self.other.set(key, value, tags=tags)
        until = monotonic() + PATIENCE_S
        while not self.is_known(key):
            assert monotonic() < until, "it is not remembered"

    def is_known(self, key: str) -> bool:
        """Whether reading it now needs no server."""
        before = len(self.log.events)
        self.cache.get(key)
        return [hit.is_local for hit in self.log.of(CacheHit)][-1:] == [True] and (
            len(self.log.events) > before
        )

    def forgets(self, key: str) -> None:
        """Read it until it is gone."""
        until = monotonic() + PATIENCE_S
        while self.cache.get(key) is not MISSING:
            assert monotonic() < until, "it is still believed"


def load() -> list[int]:
    return [0]


def load_many(keys: list[str]) -> dict[str, list[int]]:
    return {key: [0] for key in keys}


def scripts(client: redis.Redis) -> int:
    """How many the server has run since somebody asked last."""
    calls = int(client.info("commandstats").get("cmdstat_evalsha", {}).get("calls", 0))
    client.config_resetstat()
    return calls


def test_a_value_that_is_known_costs_no_command(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with Remembering(redis_url) as here:
        here.remember("alice", [1], tags=("staff", "london"))
        until = monotonic() + PATIENCE_S
        while scripts(redis_client):
            assert monotonic() < until, "the server is asked again and again"
            for _ in range(100):
                assert here.cache.get("alice") == [1]
                assert here.cache.get_or_load("alice", load, tags=("staff",)) == [1]
                assert here.cache.get_or_load_many(["alice"], load_many) == {"alice": [1]}


def test_whoever_wants_it_fresh_asks_the_server(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with Remembering(redis_url) as here:
        here.remember("alice", [1])
        scripts(redis_client)
        for _ in range(10):
            assert here.cache.get_or_load("alice", load, fresh=True) == [1]

        assert scripts(redis_client) == 10


def test_what_others_change_is_forgotten(redis_url: str) -> None:
    with Remembering(redis_url) as here:
        here.remember("alice", [1])
        here.other.invalidate("alice")
        here.forgets("alice")

        here.remember("alice", [2], tags=("staff",))
        here.other.invalidate_tag("staff")
        here.forgets("alice")

        here.remember("alice", [3])
        here.other.clear()
        here.forgets("alice")


def test_what_is_stored_beside_it_leaves_a_value_in_memory(redis_url: str) -> None:
    with Remembering(redis_url) as here:
        here.remember("alice", [1])
        for number in range(10):
            here.other.get_or_load(f"user {number}", load)
            here.remember(f"user {number}", [number])
            assert here.is_known("alice")


def test_what_this_process_changes_is_forgotten_before_it_reads_again(
    redis_url: str,
) -> None:
    with Remembering(redis_url) as here:
        for number in range(20):
            here.remember("alice", [number], tags=("staff",))
            here.cache.set("alice", [number, number])
            assert here.cache.get("alice") == [number, number]

            here.remember("alice", [number])
            here.cache.invalidate("alice")
            assert here.cache.get("alice") is MISSING

            here.remember("alice", [number], tags=("staff",))
            here.cache.invalidate_tag("staff")
            assert here.cache.get("alice") is MISSING

            here.remember("alice", [number])
            here.cache.clear()
            assert here.cache.get("alice") is MISSING

            here.remember("alice", [number])
            assert here.cache.refresh("alice", load) == [0]
            assert here.cache.get("alice") == [0]

            here.remember("alice", [number])
            with here.cache.invalidating("alice"):
                assert here.cache.get("alice") is MISSING


def test_what_this_process_stores_is_read_back_from_the_server(redis_url: str) -> None:
    with Remembering(redis_url) as here:
        here.remember("bob", [1])
        here.cache.set("alice", [1])

        assert not here.is_known("alice")


def test_every_caller_has_a_value_of_his_own_unless_they_share(redis_url: str) -> None:
    with Remembering(redis_url) as here:
        here.remember("alice", [1])
        first, second = here.cache.get("alice"), here.cache.get("alice")
        assert first == second == [1]
        assert first is not second

    with Remembering(redis_url, LocalLevel(share="object")) as here:
        here.remember("alice", [1])
        until = monotonic() + PATIENCE_S
        while here.cache.get("alice") is not here.cache.get("alice"):
            assert monotonic() < until, "nobody shares"


def test_no_more_is_kept_than_allowed(redis_url: str) -> None:
    with Remembering(redis_url, LocalLevel(max_items=5)) as here:
        for number in range(20):
            here.remember(f"user {number}", [number])
        known = [here.is_known(f"user {number}") for number in range(20)]

        assert known.count(True) <= 5


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("max_items", value) for value in (0, -1, True, 1.5, "5", 10**9)),
        *(("max_bytes", value) for value in (0, None, 2.0, 2**50)),
        *(("max_ttl", value) for value in (0, -1, float("nan"), "60", 10**6)),
        *(("share", value) for value in ("objects", None, 1)),
    ],
)
def test_limits_that_cannot_be_are_refused(field: str, value: object) -> None:
    with pytest.raises(BadInputError, match=field):
        LocalLevel(**{field: value})  # type: ignore[arg-type]


def test_what_is_no_level_is_refused() -> None:
    with pytest.raises(BadInputError, match="local"):
        Cache[int]("users", ttl=60, local=10_000)  # type: ignore[arg-type]
