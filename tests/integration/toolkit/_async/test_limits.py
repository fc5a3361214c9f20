"""A limiter grants what all its limits allow, tells how they stand, and refuses without a trace."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import redis
from tests.support.servers import ValkeyServer

from toril.core.errors import ScriptError
from toril.toolkit.errors import LimitExceededError
from toril.toolkit.limits import AsyncRateLimiter, Limit

EVERY_KIND = [
    Limit("5/hour"),
    Limit("5/hour", algorithm="leaky_bucket", burst=5),
    Limit("5/hour", algorithm="fixed_window", align="first_hit"),
    Limit("5/hour", algorithm="sliding_log"),
    Limit("5/hour", algorithm="sliding_counter"),
    Limit("5/hour", algorithm="sliding_counter", mode="weighted"),
]


def picture(client: redis.Redis) -> dict[bytes, object]:
    """Every key as it is stored, byte by byte."""
    keys: Any = client.keys("*")
    return {key: client.dump(key) for key in keys}


@asynccontextmanager
async def limiter_of(
    url: str, *limits: Limit, name: str = "api"
) -> AsyncIterator[AsyncRateLimiter]:
    """A limiter that asks every time, and tells when it cannot."""
    async with AsyncRateLimiter(
        name, limits, url, timeout=5, on_error="raise", deny_cache=0
    ) as limiter:
        yield limiter


@pytest.mark.parametrize("limit", EVERY_KIND, ids=repr)
async def test_so_many_are_granted_and_no_more(every_server: ValkeyServer, limit: Limit) -> None:
    async with limiter_of(every_server.url, limit) as limiter:
        decisions = [await limiter.hit("ada") for _ in range(7)]

        assert [one.allowed for one in decisions] == [True] * 5 + [False] * 2
        assert [one.remaining for one in decisions] == [4, 3, 2, 1, 0, 0, 0]
        assert [one.failed for one in decisions] == [None] * 5 + [limit] * 2
        retry_after = decisions[-1].retry_after
        assert retry_after is not None
        assert 0 < retry_after <= 2 * 3600
        assert (await limiter.hit("bob")).allowed


@pytest.mark.parametrize("limit", EVERY_KIND, ids=repr)
async def test_costs_count_as_they_are(redis_url: str, limit: Limit) -> None:
    async with limiter_of(redis_url, limit) as limiter:
        assert (await limiter.hit("ada", cost=3)).remaining == 2
        assert not (await limiter.hit("ada", cost=3)).allowed
        assert (await limiter.hit("ada", cost=0)).remaining == 2
        assert (await limiter.hit("ada", cost=2)).remaining == 0


@pytest.mark.parametrize("limit", EVERY_KIND, ids=repr)
async def test_a_refusal_leaves_every_byte_as_it_was(
    every_server: ValkeyServer, limit: Limit
) -> None:
    with every_server.client() as client:
        async with limiter_of(every_server.url, limit) as limiter:
            never = await limiter.hit("bob", cost=6)
            assert client.keys("*") == []
            await limiter.hit("ada", cost=4)
            before = picture(client)

            refused = await limiter.hit("ada", cost=2, operation_id="o")
            later = await limiter.acquire("ada", cost=2, timeout=1)
            too_much = await limiter.hit("ada", cost=6)
            await limiter.peek("ada", cost=1)

            assert {one.allowed for one in (refused, later, too_much, never)} == {False}
            assert too_much.retry_after is never.retry_after is None
            assert picture(client) == before


@pytest.mark.parametrize("limit", EVERY_KIND, ids=repr)
async def test_looking_tells_what_a_hit_would_say(redis_url: str, limit: Limit) -> None:
    async with limiter_of(redis_url, limit) as limiter:
        seen = await limiter.peek("ada", cost=5)
        assert (seen.allowed, seen.remaining) == (True, 5)

        await limiter.hit("ada", cost=5)

        seen = await limiter.peek("ada")
        assert (seen.allowed, seen.remaining) == (False, 0)
        [(key, standing)] = (await limiter.inspect("ada")).items()
        assert key == f"toril:rl:{{api:ada}}:{limit.part}"
        assert (standing.limit, standing.remaining) == (limit, 0)
        assert 0 < standing.reset_after <= 2 * 3600


@pytest.mark.parametrize("limit", EVERY_KIND, ids=repr)
async def test_a_reset_forgets_what_was_granted(redis_url: str, limit: Limit) -> None:
    async with limiter_of(redis_url, limit) as limiter:
        await limiter.hit("ada", cost=5)
        await limiter.hit("bob", cost=5)
        await limiter.reset("ada")

        assert (await limiter.hit("ada", cost=5)).allowed
        assert not (await limiter.hit("bob")).allowed


@pytest.mark.parametrize("limit", EVERY_KIND, ids=repr)
async def test_every_key_ends_when_it_says_nothing_any_more(
    every_server: ValkeyServer, limit: Limit
) -> None:
    async with limiter_of(every_server.url, limit) as limiter:
        await limiter.hit("ada", cost=2)
        decision = await limiter.hit("ada", operation_id="o")

    with every_server.client() as client:
        ttl_ms = {key: client.pttl(key) for key in client.keys("*")}
    [receipt_ttl_ms] = [ttl for key, ttl in ttl_ms.items() if b":op:" in key]
    [state_ttl_ms] = [ttl for key, ttl in ttl_ms.items() if b":op:" not in key]
    assert 55_000 < receipt_ttl_ms <= 60_000
    assert -2 < decision.reset_after * 1000 - state_ttl_ms < 1_000


async def test_of_several_limits_all_grant_or_none_counts(every_server: ValkeyServer) -> None:
    async with limiter_of(every_server.url, Limit("2/hour"), Limit("5/day")) as limiter:
        decisions = [await limiter.hit("ada") for _ in range(4)]

        assert [one.allowed for one in decisions] == [True, True, False, False]
        assert decisions[-1].failed == Limit("2/hour")
        assert [one.remaining for one in decisions[-1].standings] == [0, 3]


async def test_an_operation_with_an_id_counts_once(redis_url: str) -> None:
    async with limiter_of(redis_url, Limit("5/hour")) as limiter:
        first = await limiter.hit("ada", operation_id="order:7")
        again = await limiter.hit("ada", operation_id="order:7")
        other = await limiter.hit("bob", operation_id="order:7")

        assert first.remaining == again.remaining == other.remaining == 4
        assert (await limiter.peek("ada")).remaining == 4


async def test_what_was_refused_is_asked_again_under_the_same_id(redis_url: str) -> None:
    async with limiter_of(redis_url, Limit("1/hour")) as limiter:
        await limiter.hit("ada")
        assert not (await limiter.hit("ada", operation_id="o")).allowed
        await limiter.reset("ada")

        assert (await limiter.hit("ada", operation_id="o")).allowed


async def test_a_changed_quota_holds_from_the_next_call_on(redis_url: str) -> None:
    async with limiter_of(redis_url, Limit("5/hour")) as before:
        await before.hit("ada", cost=5)
    async with limiter_of(redis_url, Limit("20/hour", burst=15)) as after:
        assert not (await after.hit("ada", cost=16)).allowed
        assert (await after.peek("ada")).remaining < 15


async def test_limiters_of_other_names_and_prefixes_count_for_themselves(redis_url: str) -> None:
    limit = Limit("1/hour")
    async with (
        limiter_of(redis_url, limit) as one,
        limiter_of(redis_url, limit, name="other") as other,
        AsyncRateLimiter("api", limit, redis_url, prefix="shop") as shop,
    ):
        assert [(await each.hit("ada")).allowed for each in (one, other, shop)] == [True] * 3


async def test_a_refusal_can_be_raised(redis_url: str) -> None:
    async with limiter_of(redis_url, Limit("1/hour")) as limiter:
        assert (await limiter.hit("ada")).raise_for_limit().allowed

        with pytest.raises(LimitExceededError, match="1/hour of 'api'") as refusal:
            (await limiter.hit("ada")).raise_for_limit()
        assert refusal.value.retry_after is not None

        with pytest.raises(LimitExceededError, match="never allowed"):
            (await limiter.hit("ada", cost=2)).raise_for_limit()


async def test_a_key_of_a_foreign_type_is_found_before_anything_is_written(
    redis_url: str, redis_client: redis.Redis
) -> None:
    limits = [Limit("5/hour"), Limit("5/day", algorithm="sliding_log")]
    redis_client.hset("toril:rl:{api:ada}:log-86400000", "foreign", "1")
    async with limiter_of(redis_url, *limits) as limiter:
        with pytest.raises(ScriptError, match="WRONGTYPE"):
            await limiter.hit("ada")

    assert redis_client.keys("*") == [b"toril:rl:{api:ada}:log-86400000"]
