"""On a cluster each key of a limiter has a slot of its own, and a scope has one for all."""

import pytest
from tests.support.fleets import ValkeyCluster

from toril.toolkit.limits import AsyncRateLimiter, Limit, RateLimiter

LIMITS = [
    Limit("5/hour", algorithm="sliding_log"),
    Limit("9/day", algorithm="fixed_window", align="first_hit"),
]


async def test_keys_are_spread_and_each_is_limited(cluster: ValkeyCluster) -> None:
    async with AsyncRateLimiter("spread", LIMITS, cluster.url, timeout=5) as limiter:
        decisions = [await limiter.hit(f"user {n}", cost) for n in range(30) for cost in (5, 1)]

        assert [one.allowed for one in decisions] == [True, False] * 30
        assert not any(one.degraded for one in decisions)


@pytest.mark.parametrize("scope", ["acme", None])
def test_limiters_are_asked_together(cluster: ValkeyCluster, scope: str | None) -> None:
    user = RateLimiter(f"user {scope}", LIMITS, cluster.url, scope=scope, timeout=5)
    tenant = RateLimiter(f"tenant {scope}", LIMITS, cluster.url, scope=scope, timeout=5)
    with user, tenant:
        decisions = [RateLimiter.hit_all([(user, f"{n}", 2), (tenant, "t", 2)]) for n in range(4)]

        assert [one.allowed for one in decisions] == [True, True, False, False]
        assert tenant.peek("t").remaining == 1
        assert [user.peek(f"{n}").remaining for n in range(4)] == [3, 3, 5, 5]
