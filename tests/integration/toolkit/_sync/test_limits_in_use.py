"""Refunds, reservations, several limiters at once, functions, blocks, refusals out of memory."""  # generated from _async/test_limits_in_use.py by tools/generate_sync.py: edit that file

from collections.abc import Iterator
from contextlib import suppress

import pytest
import redis

from toril.connection._sync.pause import sleep
from toril.core.errors import BadInputError, UnavailableError
from toril.toolkit.errors import LimitExceededError
from toril.toolkit.limits import RateLimiter, Limit

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
def limiter(redis_url: str) -> Iterator[RateLimiter]:
    with RateLimiter("api", HOURLY, redis_url, on_error="raise") as limiter:
        yield limiter


def user_and_org(url: str, scope: str | None) -> tuple[RateLimiter, RateLimiter]:
    """Two limiters, of which the second is the stricter one."""
    return (
        RateLimiter("user", HOURLY, url, scope=scope),
        RateLimiter("org", [STRICT, DAILY], url, scope=scope),
    )


def test_what_was_not_used_is_given_back_once(limiter: RateLimiter) -> None:
    first = limiter.hit("ada", cost=3)
    limiter.hit("ada", cost=2)

    assert limiter.refund(first)
    assert not limiter.refund(first)
    assert (limiter.peek("ada")).remaining == 3


def test_what_was_refused_gives_nothing_back(limiter: RateLimiter) -> None:
    assert not limiter.refund(limiter.hit("ada", cost=6))
    assert not limiter.refund(limiter.peek("ada"))
    assert not limiter.refund(limiter.hit("ada", cost=0))


def test_an_operation_that_was_refunded_counts_when_it_is_made_again(redis_url: str) -> None:
    with RateLimiter("api", Limit("2/day"), redis_url, deny_cache=0) as limiter:
        for _ in range(3):
            assert limiter.refund(limiter.hit("ada", operation_id="mail:1"))
        assert limiter.hit("ada", cost=2)

        assert not (limiter.hit("ada", operation_id="mail:1")).allowed


def test_an_operation_counts_once_though_the_limits_have_changed(redis_url: str) -> None:
    with (
        RateLimiter("api", HOURLY, redis_url) as before,
        RateLimiter("api", [HOURLY, DAILY], redis_url) as after,
    ):
        before.hit("ada", cost=5, operation_id="mail:1")
        again = after.hit("ada", cost=5, operation_id="mail:1")

        after.refund(again)

        assert (again.allowed, again.wait) == (True, 0)
        assert [one.remaining for one in again.standings] == [0, 9]
        assert (before.peek("ada")).remaining == 0


def test_two_answers_to_one_operation_are_refunded_once(redis_url: str) -> None:
    with RateLimiter("api", Limit("10/day"), redis_url) as limiter:
        limiter.hit("ada", cost=9)
        answers = [limiter.hit("ada", operation_id="mail:1") for _ in range(2)]
        for answer in answers:
            limiter.refund(answer)

        assert (limiter.peek("ada")).remaining == 1


def test_what_has_left_its_window_is_not_given_back_again(redis_url: str) -> None:
    limit = Limit("6/600ms", algorithm="sliding_log")
    with RateLimiter("api", limit, redis_url) as limiter:
        first = limiter.hit("ada", cost=5)
        [until_free] = [one.reset_after for one in first.standings]
        sleep(until_free / 2)
        limiter.hit("ada")
        while (limiter.peek("ada")).remaining < 5:
            sleep(0.01)
        limiter.refund(first)

        assert (limiter.peek("ada")).remaining >= 5


def test_a_debt_without_end_is_told_as_a_hundred_years(redis_url: str) -> None:
    limit = Limit("1/day", algorithm="fixed_window")
    with RateLimiter("api", limit, redis_url) as limiter:
        (limiter.reserve("ada", 1)).settle(2**31)
        refused = limiter.hit("ada")

    assert refused.retry_after == pytest.approx(100 * 365.25 * 86_400, rel=0.01)
    assert refused.reset_after == pytest.approx(100 * 365.25 * 86_400, rel=0.01)


@pytest.mark.parametrize("limit", EVERY_ALGORITHM, ids=str)
@pytest.mark.parametrize("target", ["server", "this process"])
def test_what_was_granted_before_a_reset_is_not_given_back(
    redis_url: str, redis_client: redis.Redis, limit: Limit, target: str
) -> None:
    url = redis_url if target == "server" else "redis://127.0.0.1:1"
    with RateLimiter("api", limit, url) as limiter:
        before = limiter.hit("ada", cost=3)
        with suppress(UnavailableError):
            limiter.reset("ada")
        assert limiter.hit("ada")
        after = limiter.hit("ada", cost=2)

        limiter.refund(before)
        assert (limiter.peek("ada")).remaining == 2
        limiter.refund(after)
        assert (limiter.peek("ada")).remaining == 4
    assert all(redis_client.pttl(key) > 0 for key in redis_client.keys("*"))


def test_an_estimate_is_corrected_down(limiter: RateLimiter) -> None:
    reservation = limiter.reserve("ada", 4)
    assert (limiter.peek("ada")).remaining == 1

    assert reservation.settle(1)
    assert not reservation.settle(0)

    assert (limiter.peek("ada")).remaining == 4


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
def test_what_costs_more_than_estimated_is_debt_until_it_is_made_up_for(
    redis_url: str, limit: Limit
) -> None:
    with RateLimiter("api", limit, redis_url, timeout=5, deny_cache=0) as limiter:
        reservation = limiter.reserve("ada", 1)
        reservation.settle(10)

        refused = limiter.hit("ada")
        assert not refused.allowed
        granted = limiter.acquire("ada", timeout=2)

        assert granted.allowed
        assert granted.wait > 0.03


def test_an_estimate_beyond_the_limits_is_refused(limiter: RateLimiter) -> None:
    with pytest.raises(LimitExceededError):
        limiter.reserve("ada", 6)


@pytest.mark.parametrize("scope", ["acme", None])
def test_several_limiters_count_together_or_not_at_all(
    redis_url: str, scope: str | None
) -> None:
    user, org = user_and_org(redis_url, scope)
    with user, org:
        granted = RateLimiter.hit_all([(user, "ada", 2), (org, "acme", 2)])
        refused = RateLimiter.hit_all([(user, "ada", 2), (org, "acme", 2)])

        assert (granted.allowed, granted.remaining) == (True, 1)
        assert (refused.allowed, refused.failed) == (False, STRICT)
        assert (user.peek("ada")).remaining == 3
        assert [one.remaining for one in (org.peek("acme")).standings] == [1, 7]

        assert user.refund(granted)
        assert (user.peek("ada")).remaining == 5
        assert (org.peek("acme")).remaining == 3


def test_limiters_of_a_scope_are_asked_by_one_command(
    redis_url: str, redis_client: redis.Redis
) -> None:
    user, org = user_and_org(redis_url, "acme")
    with user, org:
        RateLimiter.hit_all([(user, "ada", 1), (org, "acme", 1)])
        redis_client.config_resetstat()
        RateLimiter.hit_all([(user, "ada", 1), (org, "acme", 1)])

    assert redis_client.info("commandstats")["cmdstat_evalsha"]["calls"] == 1
    assert {key.partition(b"}")[0] for key in redis_client.keys("*")} == {b"toril:rl:{acme"}


def test_the_same_limiter_may_be_asked_about_several_keys(limiter: RateLimiter) -> None:
    assert (RateLimiter.hit_all([(limiter, "ada", 5), (limiter, "bob", 1)])).allowed
    assert not (RateLimiter.hit_all([(limiter, "cy", 1), (limiter, "ada", 1)])).allowed
    assert (limiter.peek("cy")).remaining == 5


def test_a_question_about_nothing_or_twice_the_same_is_refused(
    limiter: RateLimiter,
) -> None:
    with pytest.raises(BadInputError, match="empty"):
        RateLimiter.hit_all([])
    with pytest.raises(BadInputError, match="two are for the same key"):
        RateLimiter.hit_all([(limiter, "ada", 1), (limiter, "ada", 1)])


def test_a_function_asks_before_it_runs(limiter: RateLimiter) -> None:
    @limiter.limit(key="user:{user}", cost=lambda _user, size=1: size)
    def upload(user: str, size: int = 1) -> str:
        """Store something."""
        return f"{user} {size}"

    assert upload("ada", size=3) == "ada 3"
    assert upload("ada") == "ada 1"
    with pytest.raises(LimitExceededError):
        upload("ada", 2)
    assert (upload.__name__, upload.__doc__) == ("upload", "Store something.")
    assert (limiter.peek("user:ada")).remaining == 1


def test_nobody_uses_up_the_limit_of_others_by_a_name_with_a_colon(
    limiter: RateLimiter,
) -> None:
    @limiter.limit(key="{tenant}:{user}", cost=5)
    def greet(tenant: str, user: str) -> str:
        return f"{tenant} {user}"

    assert greet("a:b", "c") == "a:b c"
    assert greet("a", "b:c") == "a b:c"
    assert greet("a%3Ab", "c") == "a%3Ab c"
    assert not (limiter.hit("a%3Ab:c")).allowed


def test_one_argument_is_written_as_it_is(limiter: RateLimiter) -> None:
    @limiter.limit(key="ip:{ip}", cost=5)
    def greet(ip: str) -> str:
        return ip

    greet("2001:db8::1")

    assert not (limiter.hit("ip:2001:db8::1")).allowed


def test_a_refused_function_has_a_fallback(limiter: RateLimiter) -> None:
    def come_back(user: str) -> str:
        return f"later, {user}"

    @limiter.limit(key=lambda user: user, cost=5, fallback=come_back)
    def upload(user: str) -> str:
        return f"done, {user}"

    assert [upload("ada"), upload("ada")] == ["done, ada", "later, ada"]


def test_a_method_is_limited_by_what_it_is_called_with(limiter: RateLimiter) -> None:
    class Mail:
        address = "ada@example.com"

        @limiter.limit(key="{self.address}")
        def send(self) -> str:
            return "sent"

    assert Mail().send() == "sent"
    assert (limiter.peek("ada@example.com")).remaining == 4


def test_a_key_of_what_is_no_parameter_is_refused_where_it_is_written(
    limiter: RateLimiter,
) -> None:
    with pytest.raises(BadInputError, match="names 'usr'; the arguments are user"):

        @limiter.limit(key="{usr}")
        def upload(user: str) -> None:
            pass


def test_a_block_runs_if_its_limits_allow_it(limiter: RateLimiter) -> None:
    with limiter.guard("ada", cost=5) as decision:
        assert decision.remaining == 0
    with pytest.raises(LimitExceededError):
        with limiter.guard("ada"):
            pytest.fail("it is not to run")


def test_a_block_waits_for_its_slot(redis_url: str) -> None:
    with RateLimiter("api", Limit("20/s", burst=1), redis_url, timeout=5) as limiter:
        waits = []
        for _ in range(3):
            with limiter.guard("ada", wait=1) as decision:
                waits.append(decision.wait)

    assert waits[0] == 0
    assert all(0.01 < wait <= 0.05 for wait in waits[1:])


def test_a_refusal_is_repeated_without_asking(
    limiter: RateLimiter, redis_client: redis.Redis
) -> None:
    limiter.hit("ada", cost=5)
    refused = limiter.hit("ada")
    redis_client.config_resetstat()
    again = [limiter.hit("ada") for _ in range(50)]

    assert not refused.cached
    assert all(one.cached and not one.allowed for one in again)
    assert again[-1].failed == refused.failed == HOURLY
    assert again[-1].retry_after is not None
    assert refused.retry_after is not None
    assert 3_590 < again[-1].retry_after <= refused.retry_after
    assert "cmdstat_evalsha" not in redis_client.info("commandstats")
    assert (limiter.stats().refused, limiter.stats().cached) == (51, 50)


def test_what_changes_for_the_better_is_asked_again(limiter: RateLimiter) -> None:
    used = limiter.hit("ada", cost=5)
    assert not (limiter.hit("ada")).allowed
    limiter.refund(used)
    assert (limiter.hit("ada", cost=5)).allowed
    assert not (limiter.hit("ada")).allowed
    limiter.reset("ada")
    assert (limiter.hit("ada")).allowed


def test_what_was_done_is_counted(limiter: RateLimiter) -> None:
    limiter.hit("ada", cost=5)
    limiter.hit("ada")
    limiter.peek("ada")

    stats = limiter.stats()
    assert (stats.allowed, stats.refused, stats.waited, stats.degraded) == (1, 1, 0, 0)
