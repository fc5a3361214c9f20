"""A loader that fails is not run by everybody at once, and a stale value hides it."""

import pytest

from toril.toolkit import AsyncCache, LoaderFailedError


class AsyncFailing:
    """A loader that fails as long as it is told to."""

    def __init__(self) -> None:
        self.runs = 0
        self.fails = True

    async def load(self) -> str:
        self.runs += 1
        if self.fails:
            raise OSError("no such host")
        return "value"


async def test_whoever_runs_the_loader_gets_its_error_and_the_next_one_is_told(
    redis_url: str,
) -> None:
    failing = AsyncFailing()
    async with (
        AsyncCache[str]("pages", redis_url, ttl=60) as cache,
        AsyncCache[str]("pages", redis_url, ttl=60) as other,
    ):
        with pytest.raises(OSError, match="no such host"):
            await cache.get_or_load("a", failing.load)
        for reader in (cache, other):
            with pytest.raises(LoaderFailedError) as refused:
                await reader.get_or_load("a", failing.load)
            assert (refused.value.cache, refused.value.reason) == ("pages", "OSError")

    assert failing.runs == 1


async def test_without_a_backoff_the_next_one_tries_at_once(redis_url: str) -> None:
    failing = AsyncFailing()
    async with AsyncCache[str]("pages", redis_url, ttl=60, error_backoff=0) as cache:
        with pytest.raises(OSError, match="no such host"):
            await cache.get_or_load("a", failing.load)
        failing.fails = False

        assert await cache.get_or_load("a", failing.load) == "value"


async def test_an_invalidation_ends_the_backoff(redis_url: str) -> None:
    failing = AsyncFailing()
    async with AsyncCache[str]("pages", redis_url, ttl=60) as cache:
        with pytest.raises(OSError, match="no such host"):
            await cache.get_or_load("a", failing.load)
        failing.fails = False
        await cache.invalidate("a")

        assert await cache.get_or_load("a", failing.load) == "value"
