"""What each verb of a cache costs, in commands to the server: one each time it has to ask."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import pytest
import redis
from tests.support.command_count import commands_sent

from toril.toolkit import AsyncCache

Verb: TypeAlias = Callable[[AsyncCache[int]], Awaitable[object]]


async def load_one() -> int:
    return 1


async def load_many(keys: list[str]) -> dict[str, int]:
    return dict.fromkeys(keys, 1)


@pytest.mark.parametrize(
    ("verb", "count"),
    [
        pytest.param(lambda cache: cache.get_or_load("one", load_one), 1, id="hit"),
        pytest.param(lambda cache: cache.get_or_load("new", load_one), 2, id="miss"),
        pytest.param(lambda cache: cache.get("one"), 1, id="get"),
        pytest.param(
            lambda cache: cache.get_or_load("tagged", load_one, tags=["odd"]), 1, id="hit with tags"
        ),
        pytest.param(
            lambda cache: cache.get_or_load("new", load_one, tags=["odd"]), 2, id="miss with tags"
        ),
        pytest.param(lambda cache: cache.get("tagged"), 2, id="get of what has tags"),
        pytest.param(
            lambda cache: cache.get_or_load_many(["one", "warm"], load_many), 2, id="two hits"
        ),
        pytest.param(lambda cache: cache.write("one", load_one), 2, id="write"),
        pytest.param(lambda cache: cache.set("one", 1), 2, id="set"),
        pytest.param(lambda cache: cache.invalidate("one"), 1, id="invalidate"),
        pytest.param(lambda cache: cache.invalidate_tag("odd"), 1, id="invalidate a tag"),
        pytest.param(lambda cache: cache.clear(), 1, id="clear"),
    ],
)
async def test_a_verb_sends_as_few_commands_as_can_be(
    redis_url: str, redis_client: redis.Redis, verb: Verb, count: int
) -> None:
    async with AsyncCache[int]("numbers", redis_url, ttl=60, beta=0, timeout=10) as cache:
        # The server is given the scripts.
        for key in ("warm", "one"):
            await cache.get_or_load(key, load_one)
        await cache.get_or_load("tagged", load_one, tags=["odd"])

        with commands_sent(redis_client) as sent:
            sent()
            await verb(cache)

            assert len(sent()) == count
