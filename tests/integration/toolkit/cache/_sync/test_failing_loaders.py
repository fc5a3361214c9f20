"""A loader that fails is not run by everybody at once, and a stale value hides it."""  # generated from _async/test_failing_loaders.py by tools/generate_sync.py: edit that file

import pytest

from toril.toolkit import Cache, LoaderFailedError


class Failing:
    """A loader that fails as long as it is told to."""

    def __init__(self) -> None:
        self.runs = 0
        self.fails = True

    def load(self) -> str:
        self.runs += 1
        if self.fails:
            raise OSError("no such host")
        return "value"


def test_whoever_runs_the_loader_gets_its_error_and_the_next_one_is_told(
    redis_url: str,
) -> None:
    failing = Failing()
    with (
        Cache[str]("pages", redis_url, ttl=60) as cache,
        Cache[str]("pages", redis_url, ttl=60) as other,
    ):
        with pytest.raises(OSError, match="no such host"):
            cache.get_or_load("a", failing.load)
        for reader in (cache, other):
            with pytest.raises(LoaderFailedError) as refused:
                reader.get_or_load("a", failing.load)
            assert (refused.value.cache, refused.value.reason) == ("pages", "OSError")

    assert failing.runs == 1


def test_without_a_backoff_the_next_one_tries_at_once(redis_url: str) -> None:
    failing = Failing()
    with Cache[str]("pages", redis_url, ttl=60, error_backoff=0) as cache:
        with pytest.raises(OSError, match="no such host"):
            cache.get_or_load("a", failing.load)
        failing.fails = False

        assert cache.get_or_load("a", failing.load) == "value"


def test_an_invalidation_ends_the_backoff(redis_url: str) -> None:
    failing = Failing()
    with Cache[str]("pages", redis_url, ttl=60) as cache:
        with pytest.raises(OSError, match="no such host"):
            cache.get_or_load("a", failing.load)
        failing.fails = False
        cache.invalidate("a")

        assert cache.get_or_load("a", failing.load) == "value"
