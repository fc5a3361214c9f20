"""Under all the load that several processes can make, limits hold and are used to the full."""

import json
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest
import redis
from tests.lua.sending import send
from tests.support.limit_fleet import LIMITS, fleet
from tests.support.limit_laws import Granted, breaches
from tests.support.servers import ValkeyServer

from toril.toolkit.limits import Limit, RateLimiter
from toril.toolkit.limits.arbiter import Arbiter
from toril.toolkit.limits.ruling import Ruling

LONG: Final = (pytest.mark.long, pytest.mark.timeout(120))
FOR_EVER_US: Final = 10**12


@contextmanager
def flushed_scripts(server: ValkeyServer) -> Iterator[None]:
    """The server forgets all scripts ten times a second."""
    over = threading.Event()

    def flush() -> None:
        with server.client() as client:
            while not over.wait(0.1):
                client.script_flush()

    thread = threading.Thread(target=flush)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("processes", "seconds"), [(4, 1.5), pytest.param(8, 12, marks=LONG)], ids=["quick", "long"]
)
def test_no_limit_is_exceeded_by_processes_whose_clocks_are_hours_apart(
    every_server: ValkeyServer, processes: int, seconds: float
) -> None:
    grants: dict[str, list[Granted]] = defaultdict(list)
    with flushed_scripts(every_server), fleet(every_server.url, seconds, processes) as outputs:
        for printed in outputs():
            for name, pairs in json.loads(printed).items():
                grants[name] += [Granted(*pair) for pair in pairs]

    assert [found for limit in LIMITS for found in breaches(limit, grants[repr(limit)])] == []
    assert all(grants[repr(limit)] for limit in LIMITS)
    with every_server.client() as client:
        assert [key for key in client.keys("*") if client.pttl(key) == -1] == []


@pytest.mark.parametrize(
    ("limit", "share"),
    [
        (Limit("100/s", burst=10), 0.995),
        (Limit("7/s"), 0.995),
        (Limit("100/s", algorithm="leaky_bucket"), 0.995),
        (Limit("100/s", algorithm="sliding_log"), 0.995),
        (Limit("7/s", algorithm="sliding_log"), 0.995),
        (Limit("100/s", algorithm="fixed_window"), 0.995),
        (Limit("100/s", algorithm="sliding_counter"), 1 - 1 / 10 - 0.01),
        (Limit("100/s", algorithm="sliding_counter", buckets=50), 1 - 1 / 50 - 0.01),
        (Limit("100/s", algorithm="sliding_counter", mode="weighted"), 0.9),
    ],
    ids=repr,
)
def test_what_a_limit_allows_is_granted_to_those_who_wait(
    redis_client: redis.Redis, limit: Limit, share: float
) -> None:
    """Slots are taken one after the other, for as long as the limit needs for 12 times itself."""
    hit = Arbiter("use", limit, {}).request("k", 1, patience_us=FOR_EVER_US).hit
    rulings = [send(redis_client, hit) for _ in range(12 * limit.quota)]
    slots = [ruling.slot_us for ruling in rulings if isinstance(ruling, Ruling) and ruling.granted]

    assert slots == sorted(slots)
    assert breaches(limit, [Granted(at_us, 1) for at_us in slots]) == []
    allowed = (slots[-1] - slots[0]) / (limit.period_ms * 1000) * limit.quota
    assert len(slots) == 12 * limit.quota
    assert len(slots) >= share * allowed


def test_a_refusal_of_one_limit_counts_with_none(redis_url: str) -> None:
    """Users and their organisation, by threads that are refused far more often than granted."""
    hourly = {"algorithm": "fixed_window", "align": "first_hit"}
    users = RateLimiter("user", Limit("40/hour", **hourly), redis_url, scope="acme", timeout=5)
    orgs = RateLimiter("org", Limit("100/hour", **hourly), redis_url, scope="acme", timeout=5)
    names = ["ada", "bob", "cy", "dee"]
    granted: list[str] = []

    def ask(offset: int) -> None:
        for number in range(100):
            name = names[(number + offset) % 4]
            if RateLimiter.hit_all([(users, name, 1), (orgs, "acme", 1)]).allowed:
                granted.append(name)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    with users, orgs:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert len(granted) == 100
        assert orgs.peek("acme").remaining == 0
        assert [users.peek(name).remaining for name in names] == [
            40 - granted.count(name) for name in names
        ]


@pytest.mark.parametrize("rate", ["1/day", "7/hour", "100/minute", "1000/s", "1000000/s"])
@pytest.mark.parametrize("burst", [1, 3, 400, 3_650, 1_000_000])
def test_every_rate_and_burst_leaves_a_key_that_ends(
    redis_client: redis.Redis, rate: str, burst: int
) -> None:
    try:
        limit = Limit(rate, burst=burst)
    except ValueError as refused:
        assert "more than ten years" in str(refused)  # noqa: PT017 - most of them are not
        return
    for cost in sorted({1, (burst + 1) // 2, burst}):
        arbiter = Arbiter(f"cell {cost}", limit, {})
        ruling = send(redis_client, arbiter.request("k", cost).hit)
        ttl_ms = redis_client.pttl(arbiter.keys("k").limits[0])

        assert isinstance(ruling, Ruling)
        assert ruling.granted
        assert ttl_ms != -1
        assert ttl_ms > 0 or ruling.readings[0].neutral_us - ruling.now_us < 5_000_000


def test_a_burst_of_four_hundred_is_one(redis_client: redis.Redis) -> None:
    limit = Limit("1000/s", burst=400)
    hit = Arbiter("quick", limit, {}).request("k", 100).hit
    grants, first_us, now_us = [], 0, 0
    while now_us - first_us < 500_000:
        ruling = send(redis_client, hit)
        assert isinstance(ruling, Ruling)
        now_us = ruling.now_us
        first_us = first_us or now_us
        if ruling.granted:
            grants.append(Granted(ruling.slot_us, 100))

    assert breaches(limit, grants) == []
    assert sum(cost for _, cost in grants) >= 800
