"""Lost replies, servers that are away, restarts, cancelled waiters: never too much, never late."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from statistics import quantiles
from time import monotonic, perf_counter
from typing import Any, Final

import pytest
import redis
from tests.support.event_log import EventLog
from tests.support.forks import in_fork
from tests.support.limit_laws import Granted, breaches
from tests.support.proxy import Proxy
from tests.support.proxy_rules import Fault, Rule
from tests.support.servers import ValkeyServer, free_port, wait_until

from toril.core.errors import OutcomeUnknownError, UnavailableError, WrongLoopError
from toril.telemetry.toolkit_limits import LimiterDegraded, LimiterRestored
from toril.toolkit.limits import AsyncRateLimiter, Decision, Limit, RateLimiter
from toril.toolkit.limits.operations.adjust import ADJUST
from toril.toolkit.limits.operations.hit import HIT
from toril.toolkit.limits.options import OnError

MANY: Final = Limit("1000/hour", algorithm="sliding_log")
FEW: Final = Limit("5/hour", algorithm="sliding_log")
SLOWEST_S: Final = 0.3
"""The timeout and 50 ms."""


def hits(limiter: RateLimiter, count: int, *, ids: bool) -> tuple[int, int]:
    """How many were seen to be granted, and of how many nobody knows."""
    granted = unknown = 0
    for number in range(count):
        try:
            granted += limiter.hit("ada", operation_id=str(number) if ids else None).allowed
        except OutcomeUnknownError:
            unknown += 1
    return granted, unknown


@pytest.mark.parametrize("fault", [Fault.LOSE_REPLY, Fault.LOSE_HALF_REPLY, Fault.LOSE_REQUEST])
def test_what_was_granted_counts_even_if_the_reply_is_lost(
    proxy: Proxy, redis_url: str, fault: Fault
) -> None:
    proxy.add_rule(Rule(HIT.sha.encode(), fault, every=20))
    with RateLimiter("api", MANY, proxy.url, timeout=5, on_error="raise") as limiter:
        granted, unknown = hits(limiter, 200, ids=False)
    with RateLimiter("api", MANY, redis_url) as seen:
        counted = 1_000 - seen.peek("ada").remaining

    assert proxy.cuts >= 9
    assert granted + unknown == 200
    assert granted <= counted <= 200


def test_with_an_id_it_counts_exactly_once(proxy: Proxy, redis_url: str) -> None:
    proxy.add_rule(Rule(HIT.sha.encode(), Fault.LOSE_REPLY, every=20))
    with RateLimiter("api", MANY, proxy.url, timeout=5, on_error="raise") as limiter:
        granted, unknown = hits(limiter, 200, ids=True)
    with RateLimiter("api", MANY, redis_url) as seen:
        assert 1_000 - seen.peek("ada").remaining == granted == 200

    assert unknown == 0
    assert proxy.cuts >= 9


@pytest.mark.parametrize("times", [1, 2, 3])
def test_nothing_is_given_back_twice(proxy: Proxy, times: int) -> None:
    with RateLimiter("api", FEW, proxy.url, timeout=5, on_error="raise") as limiter:
        used = limiter.hit("ada", cost=4)
        limiter.hit("ada")
        proxy.add_rule(Rule(ADJUST.sha.encode(), Fault.LOSE_REPLY, times=times))

        assert limiter.refund(used)
        assert limiter.peek("ada").remaining == 4
        assert proxy.cuts == times


@pytest.mark.parametrize("times", [1, 2])
def test_looking_and_forgetting_survive_lost_replies(proxy: Proxy, times: int) -> None:
    with RateLimiter("api", FEW, proxy.url, timeout=5, on_error="raise") as limiter:
        limiter.hit("ada")
        proxy.add_rule(Rule(b"EVALSHA", Fault.LOSE_REPLY, times=times))

        assert limiter.peek("ada").remaining == 4
        limiter.reset("ada")
        assert limiter.inspect("ada").popitem()[1].remaining == 5


@contextmanager
def cut_off(url: str, on_error: OnError, log: EventLog | None = None) -> Iterator[RateLimiter]:
    """A limiter with a timeout of 250 ms."""
    emitter = log.emitter if log else None
    with RateLimiter("api", FEW, url, on_error=on_error, emitter=emitter) as limiter:
        yield limiter


def timed(limiter: RateLimiter, count: int) -> tuple[list[Decision], list[float]]:
    decisions, seconds = [], []
    for _ in range(count):
        began = perf_counter()
        decisions.append(limiter.hit("ada"))
        seconds.append(perf_counter() - began)
    return decisions, seconds


@pytest.mark.parametrize("is_silent", [True, False], ids=["silent", "refusing"])
@pytest.mark.parametrize(("on_error", "granted"), [("local", 5), ("closed", 0), ("open", 300)])
def test_without_its_server_a_limiter_decides_alone_and_in_time(
    proxy: Proxy, on_error: OnError, granted: int, is_silent: bool
) -> None:
    url = proxy.url if is_silent else f"redis://127.0.0.1:{free_port()}"
    proxy.silence()
    firsts_s, laters_s = [], []
    for _ in range(3):
        with cut_off(url, on_error) as limiter:
            [first], [first_s] = timed(limiter, 1)
            decisions, seconds = timed(limiter, 299)
        firsts_s.append(first_s)
        laters_s.append(quantiles(seconds, n=100)[94])

        assert all(one.degraded for one in (first, *decisions))
        assert sum(one.allowed for one in (first, *decisions)) == granted
    # The best of three, and not each of the others: the machine has others to serve.
    assert min(firsts_s) <= SLOWEST_S
    assert min(laters_s) <= 0.001


def test_a_limiter_that_is_to_raise_raises(proxy: Proxy) -> None:
    with cut_off(proxy.url, "raise") as limiter:
        limiter.hit("ada")
        proxy.silence()
        with pytest.raises(OutcomeUnknownError):
            limiter.hit("ada")
        with pytest.raises(UnavailableError):
            limiter.hit("ada")


def test_a_limiter_returns_to_its_server(proxy: Proxy) -> None:
    log = EventLog()
    with cut_off(proxy.url, "local", log) as limiter:
        assert limiter.hit("ada").remaining == 4
        proxy.silence()
        alone = [limiter.hit("ada") for _ in range(6)]
        proxy.speak()
        proxy.drop_all()
        wait_until(lambda: not limiter.peek("ada").degraded, "the limiter asks its server")

        assert [one.allowed for one in alone] == [True] * 5 + [False]
        assert limiter.peek("ada").remaining >= 3
    assert [one.policy for one in log.of(LimiterDegraded)] == ["local"]
    assert len(log.of(LimiterRestored)) == 1


def test_limiters_that_are_only_asked_together_return_to_their_server_together(
    proxy: Proxy, redis_url: str
) -> None:
    one = RateLimiter("one", MANY, proxy.url, scope="acme")
    other = RateLimiter("other", MANY, proxy.url, scope="acme")
    with one, other, RateLimiter("other", MANY, redis_url, scope="acme") as seen:
        calls = [(one, "k", 1), (other, "k", 1)]
        proxy.silence()
        assert RateLimiter.hit_all(calls).degraded
        proxy.speak()
        proxy.drop_all()
        wait_until(lambda: not RateLimiter.hit_all(calls).degraded, "both ask their server")
        before = seen.peek("k").remaining
        decisions = [RateLimiter.hit_all(calls) for _ in range(10)]

        assert not any(decision.degraded for decision in decisions)
        assert before - seen.peek("k").remaining == 10


def test_what_was_granted_alone_is_given_back_alone(proxy: Proxy) -> None:
    proxy.silence()
    with cut_off(proxy.url, "local") as limiter:
        used = limiter.hit("ada", cost=5)
        assert not limiter.hit("ada").allowed
        assert limiter.refund(used)
        assert limiter.hit("ada", cost=5).allowed
        assert limiter.stats().degraded == 3


@pytest.mark.parametrize("scope", ["acme", None])
def test_several_limiters_decide_alone_together(proxy: Proxy, scope: str | None) -> None:
    proxy.silence()
    one = RateLimiter("one", FEW, proxy.url, scope=scope)
    other = RateLimiter("other", Limit("2/hour"), proxy.url, scope=scope)
    with one, other:
        decisions = [RateLimiter.hit_all([(one, "k", 1), (other, "k", 1)]) for _ in range(4)]

        assert [decision.allowed for decision in decisions] == [True, True, False, False]
        assert all(decision.degraded for decision in decisions)
        assert one.hit("k", cost=3).allowed


def test_what_the_first_limiter_granted_is_given_back_when_the_second_cannot_be_asked(
    proxy: Proxy, redis_url: str
) -> None:
    proxy.silence()
    one = RateLimiter("one", FEW, redis_url, timeout=5, on_error="raise")
    other = RateLimiter("other", FEW, proxy.url, on_error="raise")
    with one, other:
        with pytest.raises(UnavailableError):
            RateLimiter.hit_all([(one, "k", 3), (other, "k", 1)])

        assert one.peek("k").remaining == 5


def test_a_server_that_has_lost_everything_grants_one_burst_more() -> None:
    with (
        ValkeyServer() as server,
        RateLimiter("api", FEW, server.url, timeout=5, on_error="raise", deny_cache=0) as limiter,
    ):
        before = [limiter.hit("ada").allowed for _ in range(9)]
        server.kill()
        server.start()
        limiter.reset("bob")
        after = [limiter.hit("ada").allowed for _ in range(9)]

    assert (sum(before), sum(after)) == (5, 5)


def test_a_key_is_reset_when_memory_is_out() -> None:
    with (
        ValkeyServer() as server,
        server.client() as client,
        RateLimiter("api", FEW, server.url, on_error="raise") as limiter,
    ):
        limiter.hit("ada")
        client.config_set("maxmemory", 1)

        limiter.reset("ada")

        assert limiter.peek("ada").remaining == 5


async def test_those_who_wait_go_in_order_at_the_pace_of_the_limit(
    redis_url: str, redis_client: redis.Redis
) -> None:
    limit = Limit("50/s", burst=1)
    went: list[tuple[float, Decision]] = []

    async with AsyncRateLimiter("api", limit, redis_url, timeout=5, on_error="raise") as limiter:
        await limiter.peek("ada")
        redis_client.config_resetstat()

        async def wait() -> None:
            decision = await limiter.acquire("ada")
            went.append((monotonic(), decision))

        began = monotonic()
        async with asyncio.TaskGroup() as tasks:
            for _ in range(100):
                tasks.create_task(wait())

    stats: Any = redis_client.info("commandstats")
    slots = [decision.ruling.slot_us for _, decision in went]
    places = [sorted(slots).index(slot) for slot in slots]
    assert stats["cmdstat_evalsha"]["calls"] == 100
    assert breaches(limit, [Granted(slot, 1) for slot in slots]) == []
    assert (max(slots) - min(slots)) / 1e6 == pytest.approx(2, rel=0.05)
    assert 1.9 < went[-1][0] - began < 10, "the machine has others to serve"
    assert max(abs(place - number) for number, place in enumerate(places)) <= 3


async def test_somebody_who_would_wait_too_long_is_refused_at_once(redis_url: str) -> None:
    async with AsyncRateLimiter("api", Limit("1/hour"), redis_url, timeout=5) as limiter:
        await limiter.hit("ada")
        began = monotonic()
        refused = await limiter.acquire("ada", timeout=60)
        never = await limiter.acquire("ada", cost=2)

    assert monotonic() - began < 5
    assert not refused.allowed
    assert refused.retry_after is not None
    assert 3_500 < refused.retry_after <= 3_600
    assert never.retry_after is None


async def test_a_waiter_that_is_cancelled_gives_its_slot_back(redis_url: str) -> None:
    limit = Limit("1/hour", algorithm="leaky_bucket")
    async with AsyncRateLimiter("api", limit, redis_url, timeout=5) as limiter:
        await limiter.hit("ada")
        waiting = asyncio.create_task(limiter.acquire("ada"))
        while (await limiter.peek("ada")).reset_after < 3_700:
            await asyncio.wait([waiting], timeout=0.01)
        waiting.cancel()
        await asyncio.wait([waiting])

        assert waiting.cancelled()
        assert (await limiter.peek("ada")).reset_after <= 3_600


async def test_a_waiter_that_is_cancelled_takes_nothing_from_those_behind(redis_url: str) -> None:
    limit = Limit("10/s", algorithm="leaky_bucket")
    async with AsyncRateLimiter("api", limit, redis_url, timeout=5) as limiter:
        waiters = [asyncio.create_task(limiter.acquire("ada")) for _ in range(6)]
        while (await limiter.peek("ada")).reset_after < 0.45:
            await asyncio.wait(waiters, timeout=0.005)
        waiters[2].cancel()
        late = await limiter.acquire("ada")
        done = [late, *(await asyncio.gather(*waiters, return_exceptions=True))]

    slots = [Granted(one.ruling.slot_us, 1) for one in done if isinstance(one, Decision)]
    assert len(slots) == 6
    assert breaches(limit, slots) == []


async def test_cancelled_anywhere_it_grants_nothing_too_much(redis_url: str) -> None:
    limit = Limit("5/100ms", algorithm="sliding_log")
    granted: list[Granted] = []
    async with AsyncRateLimiter("api", limit, redis_url, timeout=5, on_error="raise") as limiter:
        for steps in range(21):
            tasks = [asyncio.create_task(limiter.acquire("ada")) for _ in range(3)]
            for _ in range(steps):
                await asyncio.wait(tasks, timeout=0)
            tasks[1].cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
            granted += [
                Granted(one.ruling.slot_us, 1) for one in ended if isinstance(one, Decision)
            ]

        assert (await limiter.acquire("ada", timeout=1)).allowed
    assert len(granted) >= 42
    assert breaches(limit, granted) == []


async def test_a_limiter_is_refused_in_another_loop(redis_url: str) -> None:
    limiter = AsyncRateLimiter("api", FEW, redis_url)
    await limiter.hit("ada")

    with ThreadPoolExecutor() as threads, pytest.raises(WrongLoopError):
        await asyncio.wrap_future(threads.submit(lambda: asyncio.run(limiter.peek("ada"))))
    await limiter.close()


def test_threads_share_a_limiter(redis_url: str) -> None:
    granted: list[bool] = []
    with RateLimiter("api", FEW, redis_url, timeout=5, on_error="raise") as limiter:
        threads = [
            threading.Thread(target=lambda: granted.append(limiter.hit("ada").allowed))
            for _ in range(20)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert sum(granted) == limiter.stats().allowed == 5


@pytest.mark.parametrize("part", ["tally", "denials", "local"])
def test_locks_that_were_held_do_not_stop_a_fork(redis_url: str, part: str) -> None:
    held, may_end = threading.Event(), threading.Event()
    with RateLimiter("api", FEW, redis_url) as limiter, ThreadPoolExecutor(1) as threads:

        def hold() -> None:
            with getattr(limiter._desk.arbiter, part)._lock:
                held.set()
                may_end.wait(20)

        threads.submit(hold)
        held.wait(20)
        try:
            assert in_fork(lambda: limiter.hit("ada", cost=4).remaining == 1)
            assert in_fork(lambda: not limiter.hit("ada", cost=4).allowed)
            assert in_fork(lambda: limiter.reset("ada") is None)
        finally:
            may_end.set()
