"""With memory in front of the server a value that is read again costs nothing and is right."""

from time import monotonic
from typing import Self

import pytest
import redis
from tests.support.event_log import EventLog

from toril.core.errors import BadInputError
from toril.telemetry.toolkit_cache import CacheHit
from toril.toolkit import MISSING, AsyncCache, LocalLevel

PATIENCE_S = 5


class AsyncRemembering:
    """A cache with memory, and one beside it that has none: another process, as it were."""

    def __init__(self, url: str, local: LocalLevel | None = None) -> None:
        self.log = EventLog()
        self.cache = AsyncCache[list[int]](
            "users", url, ttl=60, local=local or LocalLevel(), emitter=self.log.emitter
        )
        self.other = AsyncCache[list[int]]("users", url, ttl=60)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.cache.close()
        await self.other.close()

    async def remember(self, key: str, value: list[int], tags: tuple[str, ...] = ()) -> None:
        """Store it elsewhere, and read it until it is known here."""
        await self.other.set(key, value, tags=tags)
        until = monotonic() + PATIENCE_S
        while not await self.is_known(key):
            assert monotonic() < until, "it is not remembered"

    async def is_known(self, key: str) -> bool:
        """Whether reading it now needs no server."""
        before = len(self.log.events)
        await self.cache.get(key)
        return [hit.is_local for hit in self.log.of(CacheHit)][-1:] == [True] and (
            len(self.log.events) > before
        )

    async def forgets(self, key: str) -> None:
        """Read it until it is gone."""
        until = monotonic() + PATIENCE_S
        while await self.cache.get(key) is not MISSING:
            assert monotonic() < until, "it is still believed"


async def load() -> list[int]:
    return [0]


async def load_many(keys: list[str]) -> dict[str, list[int]]:
    return {key: [0] for key in keys}


def scripts(client: redis.Redis) -> int:
    """How many the server has run since somebody asked last."""
    calls = int(client.info("commandstats").get("cmdstat_evalsha", {}).get("calls", 0))
    client.config_resetstat()
    return calls


async def test_a_value_that_is_known_costs_no_command(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncRemembering(redis_url) as here:
        await here.remember("alice", [1], tags=("staff", "london"))
        until = monotonic() + PATIENCE_S
        while scripts(redis_client):
            assert monotonic() < until, "the server is asked again and again"
            for _ in range(100):
                assert await here.cache.get("alice") == [1]
                assert await here.cache.get_or_load("alice", load, tags=("staff",)) == [1]
                assert await here.cache.get_or_load_many(["alice"], load_many) == {"alice": [1]}


async def test_whoever_wants_it_fresh_asks_the_server(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncRemembering(redis_url) as here:
        await here.remember("alice", [1])
        scripts(redis_client)
        for _ in range(10):
            assert await here.cache.get_or_load("alice", load, fresh=True) == [1]

        assert scripts(redis_client) == 10


async def test_what_others_change_is_forgotten(redis_url: str) -> None:
    async with AsyncRemembering(redis_url) as here:
        await here.remember("alice", [1])
        await here.other.invalidate("alice")
        await here.forgets("alice")

        await here.remember("alice", [2], tags=("staff",))
        await here.other.invalidate_tag("staff")
        await here.forgets("alice")

        await here.remember("alice", [3])
        await here.other.clear()
        await here.forgets("alice")


async def test_what_is_stored_beside_it_leaves_a_value_in_memory(redis_url: str) -> None:
    async with AsyncRemembering(redis_url) as here:
        await here.remember("alice", [1])
        for number in range(10):
            await here.other.get_or_load(f"user {number}", load)
            await here.remember(f"user {number}", [number])
            assert await here.is_known("alice")


async def test_what_this_process_changes_is_forgotten_before_it_reads_again(
    redis_url: str,
) -> None:
    async with AsyncRemembering(redis_url) as here:
        for number in range(20):
            await here.remember("alice", [number], tags=("staff",))
            await here.cache.set("alice", [number, number])
            assert await here.cache.get("alice") == [number, number]

            await here.remember("alice", [number])
            await here.cache.invalidate("alice")
            assert await here.cache.get("alice") is MISSING

            await here.remember("alice", [number], tags=("staff",))
            await here.cache.invalidate_tag("staff")
            assert await here.cache.get("alice") is MISSING

            await here.remember("alice", [number])
            await here.cache.clear()
            assert await here.cache.get("alice") is MISSING

            await here.remember("alice", [number])
            assert await here.cache.refresh("alice", load) == [0]
            assert await here.cache.get("alice") == [0]

            await here.remember("alice", [number])
            async with here.cache.invalidating("alice"):
                assert await here.cache.get("alice") is MISSING


async def test_what_this_process_stores_is_read_back_from_the_server(redis_url: str) -> None:
    async with AsyncRemembering(redis_url) as here:
        await here.remember("bob", [1])
        await here.cache.set("alice", [1])

        assert not await here.is_known("alice")


async def test_every_caller_has_a_value_of_his_own_unless_they_share(redis_url: str) -> None:
    async with AsyncRemembering(redis_url) as here:
        await here.remember("alice", [1])
        first, second = await here.cache.get("alice"), await here.cache.get("alice")
        assert first == second == [1]
        assert first is not second

    async with AsyncRemembering(redis_url, LocalLevel(share="object")) as here:
        await here.remember("alice", [1])
        until = monotonic() + PATIENCE_S
        while await here.cache.get("alice") is not await here.cache.get("alice"):
            assert monotonic() < until, "nobody shares"


async def test_no_more_is_kept_than_allowed(redis_url: str) -> None:
    async with AsyncRemembering(redis_url, LocalLevel(max_items=5)) as here:
        for number in range(20):
            await here.remember(f"user {number}", [number])
        known = [await here.is_known(f"user {number}") for number in range(20)]

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
        AsyncCache[int]("users", ttl=60, local=10_000)  # type: ignore[arg-type]
