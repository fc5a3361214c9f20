"""Refunds, reservations, several limiters at once, functions, blocks, refusals out of memory."""

from collections.abc import AsyncIterator
from contextlib import suppress

import pytest
import redis

from toril.connection._async.pause import sleep
from toril.core.errors import BadInputError, UnavailableError
from toril.toolkit.errors import LimitExceededError
from toril.toolkit.limits import AsyncRateLimiter, Limit

HOURLY = Limit("5/hour", algorithm="sliding_log")
STRICT = Limit("3/hour", algorithm="fixed_window", align="first_hit")
DAILY = Limit("9/day", algorithm="sliding_log")

EVERY_ALGORITHM = [
    Limit("5/day"),
    Limit("5/day", algorithm="fixed_window"),
    Limit("5/day", algorithm="fixed_window", align="first_hit"),
    HOURLY,
    Limit("5/day", algorithm="sliding_counter"),
    Limit("5/day", algorithm="sliding_counter", mode="weighted"),
]


@pytest.fixture
async def limiter(redis_url: str) -> AsyncIterator[AsyncRateLimiter]:
    async with AsyncRateLimiter("api", HOURLY, redis_url, on_error="raise") as limiter:
        yield limiter


def user_and_org(url: str, scope: str | None) -> tuple[AsyncRateLimiter, AsyncRateLimiter]:
    """Two limiters, of which the second is the stricter one."""
    return (
        AsyncRateLimiter("user", HOURLY, url, scope=scope),
        AsyncRateLimiter("org", [STRICT, DAILY], url, scope=scope),
    )


async def test_what_was_not_used_is_given_back_once(limiter: AsyncRateLimiter) -> None:
    first = await limiter.hit("ada", cost=3)
    await limiter.hit("ada", cost=2)

    assert await limiter.refund(first)
    assert not await limiter.refund(first)
    assert (await limiter.peek("ada")).remaining == 3


async def test_what_was_refused_gives_nothing_back(limiter: AsyncRateLimiter) -> None:
    assert not await limiter.refund(await limiter.hit("ada", cost=6))
    assert not await limiter.refund(await limiter.peek("ada"))
    assert not await limiter.refund(await limiter.hit("ada", cost=0))


async def test_an_operation_that_was_refunded_counts_when_it_is_made_again(redis_url: str) -> None:
    async with AsyncRateLimiter("api", Limit("2/day"), redis_url, deny_cache=0) as limiter:
        for _ in range(3):
            assert await limiter.refund(await limiter.hit("ada", operation_id="mail:1"))
        assert await limiter.hit("ada", cost=2)

        assert not (await limiter.hit("ada", operation_id="mail:1")).allowed


async def test_an_operation_counts_once_though_the_limits_have_changed(redis_url: str) -> None:
    async with (
        AsyncRateLimiter("api", HOURLY, redis_url) as before,
        AsyncRateLimiter("api", [HOURLY, DAILY], redis_url) as after,
    ):
        await before.hit("ada", cost=5, operation_id="mail:1")
        again = await after.hit("ada", cost=5, operation_id="mail:1")

        await after.refund(again)

        assert (again.allowed, again.wait) == (True, 0)
        assert [one.remaining for one in again.standings] == [0, 9]
        assert (await before.peek("ada")).remaining == 0


async def test_two_answers_to_one_operation_are_refunded_once(redis_url: str) -> None:
    async with AsyncRateLimiter("api", Limit("10/day"), redis_url) as limiter:
        await limiter.hit("ada", cost=9)
        answers = [await limiter.hit("ada", operation_id="mail:1") for _ in range(2)]
        for answer in answers:
            await limiter.refund(answer)

        assert (await limiter.peek("ada")).remaining == 1


async def test_what_has_left_its_window_is_not_given_back_again(redis_url: str) -> None:
    limit = Limit("6/600ms", algorithm="sliding_log")
    async with AsyncRateLimiter("api", limit, redis_url) as limiter:
        first = await limiter.hit("ada", cost=5)
        [until_free] = [one.reset_after for one in first.standings]
        await sleep(until_free / 2)
        await limiter.hit("ada")
        while (await limiter.peek("ada")).remaining < 5:
            await sleep(0.01)
        await limiter.refund(first)

        assert (await limiter.peek("ada")).remaining >= 5


async def test_a_debt_without_end_is_told_as_a_hundred_years(redis_url: str) -> None:
    limit = Limit("1/day", algorithm="fixed_window")
    async with AsyncRateLimiter("api", limit, redis_url) as limiter:
        await (await limiter.reserve("ada", 1)).settle(2**31)
        refused = await limiter.hit("ada")

    assert refused.retry_after == pytest.approx(100 * 365.25 * 86_400, rel=0.01)
    assert refused.reset_after == pytest.approx(100 * 365.25 * 86_400, rel=0.01)


@pytest.mark.parametrize("limit", EVERY_ALGORITHM, ids=str)
@pytest.mark.parametrize("target", ["server", "this process"])
async def test_what_was_granted_before_a_reset_is_not_given_back(
    redis_url: str, redis_client: redis.Redis, limit: Limit, target: str
) -> None:
    url = redis_url if target == "server" else "redis://127.0.0.1:1"
    async with AsyncRateLimiter("api", limit, url) as limiter:
        before = await limiter.hit("ada", cost=3)
        with suppress(UnavailableError):
            await limiter.reset("ada")
        assert await limiter.hit("ada")
        after = await limiter.hit("ada", cost=2)

        await limiter.refund(before)
        assert (await limiter.peek("ada")).remaining == 2
        await limiter.refund(after)
        assert (await limiter.peek("ada")).remaining == 4
    assert all(redis_client.pttl(key) > 0 for key in redis_client.keys("*"))


async def test_an_estimate_is_corrected_down(limiter: AsyncRateLimiter) -> None:
    reservation = await limiter.reserve("ada", 4)
    assert (await limiter.peek("ada")).remaining == 1

    assert await reservation.settle(1)
    assert not await reservation.settle(0)

    assert (await limiter.peek("ada")).remaining == 4


@pytest.mark.parametrize(
    "limit",
    [
        Limit("5/200ms"),
        Limit("5/200ms", algorithm="fixed_window", align="first_hit"),
        Limit("5/200ms", algorithm="sliding_log"),
        Limit("5/200ms", algorithm="sliding_counter"),
        Limit("5/200ms", algorithm="sliding_counter", mode="weighted"),
    ],
    ids=repr,
)
async def test_what_costs_more_than_estimated_is_debt_until_it_is_made_up_for(
    redis_url: str, limit: Limit
) -> None:
    async with AsyncRateLimiter("api", limit, redis_url, timeout=5, deny_cache=0) as limiter:
        reservation = await limiter.reserve("ada", 1)
        await reservation.settle(10)

        refused = await limiter.hit("ada")
        assert not refused.allowed
        granted = await limiter.acquire("ada", timeout=2)

        assert granted.allowed
        assert granted.wait > 0.03


async def test_an_estimate_beyond_the_limits_is_refused(limiter: AsyncRateLimiter) -> None:
    with pytest.raises(LimitExceededError):
        await limiter.reserve("ada", 6)


@pytest.mark.parametrize("scope", ["acme", None])
async def test_several_limiters_count_together_or_not_at_all(
    redis_url: str, scope: str | None
) -> None:
    user, org = user_and_org(redis_url, scope)
    async with user, org:
        granted = await AsyncRateLimiter.hit_all([(user, "ada", 2), (org, "acme", 2)])
        refused = await AsyncRateLimiter.hit_all([(user, "ada", 2), (org, "acme", 2)])

        assert (granted.allowed, granted.remaining) == (True, 1)
        assert (refused.allowed, refused.failed) == (False, STRICT)
        assert (await user.peek("ada")).remaining == 3
        assert [one.remaining for one in (await org.peek("acme")).standings] == [1, 7]

        assert await user.refund(granted)
        assert (await user.peek("ada")).remaining == 5
        assert (await org.peek("acme")).remaining == 3


async def test_limiters_of_a_scope_are_asked_by_one_command(
    redis_url: str, redis_client: redis.Redis
) -> None:
    user, org = user_and_org(redis_url, "acme")
    async with user, org:
        await AsyncRateLimiter.hit_all([(user, "ada", 1), (org, "acme", 1)])
        redis_client.config_resetstat()
        await AsyncRateLimiter.hit_all([(user, "ada", 1), (org, "acme", 1)])

    assert redis_client.info("commandstats")["cmdstat_evalsha"]["calls"] == 1
    assert {key.partition(b"}")[0] for key in redis_client.keys("*")} == {b"toril:rl:{acme"}


async def test_the_same_limiter_may_be_asked_about_several_keys(limiter: AsyncRateLimiter) -> None:
    assert (await AsyncRateLimiter.hit_all([(limiter, "ada", 5), (limiter, "bob", 1)])).allowed
    assert not (await AsyncRateLimiter.hit_all([(limiter, "cy", 1), (limiter, "ada", 1)])).allowed
    assert (await limiter.peek("cy")).remaining == 5


async def test_a_question_about_nothing_or_twice_the_same_is_refused(
    limiter: AsyncRateLimiter,
) -> None:
    with pytest.raises(BadInputError, match="empty"):
        await AsyncRateLimiter.hit_all([])
    with pytest.raises(BadInputError, match="two are for the same key"):
        await AsyncRateLimiter.hit_all([(limiter, "ada", 1), (limiter, "ada", 1)])


async def test_a_function_asks_before_it_runs(limiter: AsyncRateLimiter) -> None:
    @limiter.limit(key="user:{user}", cost=lambda _user, size=1: size)
    async def upload(user: str, size: int = 1) -> str:
        """Store something."""
        return f"{user} {size}"

    assert await upload("ada", size=3) == "ada 3"
    assert await upload("ada") == "ada 1"
    with pytest.raises(LimitExceededError):
        await upload("ada", 2)
    assert (upload.__name__, upload.__doc__) == ("upload", "Store something.")
    assert (await limiter.peek("user:ada")).remaining == 1


async def test_nobody_uses_up_the_limit_of_others_by_a_name_with_a_colon(
    limiter: AsyncRateLimiter,
) -> None:
    @limiter.limit(key="{tenant}:{user}", cost=5)
    async def greet(tenant: str, user: str) -> str:
        return f"{tenant} {user}"

    assert await greet("a:b", "c") == "a:b c"
    assert await greet("a", "b:c") == "a b:c"
    assert await greet("a%3Ab", "c") == "a%3Ab c"
    assert not (await limiter.hit("a%3Ab:c")).allowed


async def test_one_argument_is_written_as_it_is(limiter: AsyncRateLimiter) -> None:
    @limiter.limit(key="ip:{ip}", cost=5)
    async def greet(ip: str) -> str:
        return ip

    await greet("2001:db8::1")

    assert not (await limiter.hit("ip:2001:db8::1")).allowed


async def test_a_refused_function_has_a_fallback(limiter: AsyncRateLimiter) -> None:
    async def come_back(user: str) -> str:
        return f"later, {user}"

    @limiter.limit(key=lambda user: user, cost=5, fallback=come_back)
    async def upload(user: str) -> str:
        return f"done, {user}"

    assert [await upload("ada"), await upload("ada")] == ["done, ada", "later, ada"]


async def test_a_method_is_limited_by_what_it_is_called_with(limiter: AsyncRateLimiter) -> None:
    class Mail:
        address = "ada@example.com"

        @limiter.limit(key="{self.address}")
        async def send(self) -> str:
            return "sent"

    assert await Mail().send() == "sent"
    assert (await limiter.peek("ada@example.com")).remaining == 4


async def test_a_key_of_what_is_no_parameter_is_refused_where_it_is_written(
    limiter: AsyncRateLimiter,
) -> None:
    with pytest.raises(BadInputError, match="names 'usr'; the arguments are user"):

        @limiter.limit(key="{usr}")
        async def upload(user: str) -> None:
            pass


async def test_a_block_runs_if_its_limits_allow_it(limiter: AsyncRateLimiter) -> None:
    async with limiter.guard("ada", cost=5) as decision:
        assert decision.remaining == 0
    with pytest.raises(LimitExceededError):
        async with limiter.guard("ada"):
            pytest.fail("it is not to run")


async def test_a_block_waits_for_its_slot(redis_url: str) -> None:
    async with AsyncRateLimiter("api", Limit("20/s", burst=1), redis_url, timeout=5) as limiter:
        waits = []
        for _ in range(3):
            async with limiter.guard("ada", wait=1) as decision:
                waits.append(decision.wait)

    assert waits[0] == 0
    assert all(0.01 < wait <= 0.05 for wait in waits[1:])


async def test_a_refusal_is_repeated_without_asking(
    limiter: AsyncRateLimiter, redis_client: redis.Redis
) -> None:
    await limiter.hit("ada", cost=5)
    refused = await limiter.hit("ada")
    redis_client.config_resetstat()
    again = [await limiter.hit("ada") for _ in range(50)]

    assert not refused.cached
    assert all(one.cached and not one.allowed for one in again)
    assert again[-1].failed == refused.failed == HOURLY
    assert again[-1].retry_after is not None
    assert refused.retry_after is not None
    assert 3_590 < again[-1].retry_after <= refused.retry_after
    assert "cmdstat_evalsha" not in redis_client.info("commandstats")
    assert (limiter.stats().refused, limiter.stats().cached) == (51, 50)


async def test_what_changes_for_the_better_is_asked_again(limiter: AsyncRateLimiter) -> None:
    used = await limiter.hit("ada", cost=5)
    assert not (await limiter.hit("ada")).allowed
    await limiter.refund(used)
    assert (await limiter.hit("ada", cost=5)).allowed
    assert not (await limiter.hit("ada")).allowed
    await limiter.reset("ada")
    assert (await limiter.hit("ada")).allowed


async def test_what_was_done_is_counted(limiter: AsyncRateLimiter) -> None:
    await limiter.hit("ada", cost=5)
    await limiter.hit("ada")
    await limiter.peek("ada")

    stats = limiter.stats()
    assert (stats.allowed, stats.refused, stats.waited, stats.degraded) == (1, 1, 0, 0)
