"""Several processes use one cache: one loads, a dead one is replaced, nothing stale is left."""

from time import monotonic

import pytest
import redis
from tests.support.cache_crowd import NAME, Crowd, truth

from toril.toolkit import MISSING, Cache


@pytest.mark.parametrize("role", ["callers", "threads"])
def test_of_all_callers_one_loads(redis_url: str, redis_client: redis.Redis, role: str) -> None:
    one = {"role": role, "url": redis_url, "callers": 50, "compute_s": 0.3, "lease_s": 10}
    with Crowd([one] * 4) as crowd:
        slowest_s = max(crowd.next("done")["slowest_s"] for _ in crowd.pids)

    assert redis_client.get("loads") == b"1"
    assert slowest_s < 10


def test_a_lease_is_renewed_while_its_loader_runs(
    redis_url: str, redis_client: redis.Redis
) -> None:
    one = {"role": "threads", "url": redis_url, "callers": 5, "compute_s": 1.0, "lease_s": 0.2}
    with Crowd([one] * 2) as crowd:
        for _ in crowd.pids:
            crowd.next("done")

    assert redis_client.get("loads") == b"1"


def test_whoever_waits_takes_over_from_a_loader_that_was_killed(redis_url: str) -> None:
    def load() -> int:
        return 7

    stuck = {"role": "stuck", "url": redis_url, "lease_s": 0.5}
    with Crowd([stuck]) as crowd, Cache[int](NAME, redis_url, ttl=60, lease=0.5) as cache:
        crowd.next("loading")
        crowd.kill(0)
        started = monotonic()

        assert cache.get_or_load("one", load) == 7
        assert monotonic() - started < 1.5


def test_a_writer_that_was_killed_after_its_change_leaves_nothing_stale(
    redis_url: str, redis_client: redis.Redis
) -> None:
    def load() -> int:
        return truth(redis_client, "one")

    rounds = 5
    dying = {"role": "dying writer", "url": redis_url, "lease_s": 0.2}
    with Cache[int](NAME, redis_url, ttl=60, lease=0.2) as cache:
        for killed in range(1, rounds + 1):
            cache.get_or_load("one", load)
            with Crowd([dying]):
                while truth(redis_client, "one") < killed:
                    assert cache.get_or_load("one", load) <= killed

                assert cache.get_or_load("one", load) == killed
                while cache.get("one") is MISSING:
                    assert cache.get_or_load("one", load) == killed
                assert cache.get("one") == killed


@pytest.mark.parametrize("versions", [False, True])
def test_when_all_is_quiet_what_is_kept_is_true(
    redis_url: str, redis_client: redis.Redis, *, versions: bool
) -> None:
    _move(redis_url, redis_client, rounds=15, versions=versions)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("versions", [False, True])
def test_when_all_is_quiet_what_is_kept_is_true_a_thousand_times(
    redis_url: str, redis_client: redis.Redis, *, versions: bool
) -> None:
    _move(redis_url, redis_client, rounds=1_000, versions=versions)


def _move(url: str, client: redis.Redis, *, rounds: int, versions: bool) -> None:
    role = {"role": "movers", "url": url, "versions": versions, "rounds": rounds}
    roles = [{**role, "who": who, "seed": who, "keys": 5, "moves": 8} for who in range(4)]
    kept = 0
    with Crowd(roles) as crowd, Cache[int](NAME, url, ttl=60) as cache:
        for number in range(1, rounds + 1):
            while int(client.get("arrived") or 0) < number * len(roles):
                client.blpop(["nobody"], timeout=0.01)
            for key in (f"k{index}" for index in range(5)):
                value = cache.get(key)
                kept += value is not MISSING
                assert value is MISSING or value == truth(client, key), f"round {number}"
            for who in range(len(roles)):
                client.lpush(f"go:{who}", "on")
        for _ in crowd.pids:
            crowd.next("done")
    assert kept > rounds
