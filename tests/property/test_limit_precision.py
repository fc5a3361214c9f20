"""Over the whole range of rates no rounding costs more than a millionth, nor grants anything."""

from fractions import Fraction
from itertools import product
from math import ceil
from typing import Final

import redis
from tests.lua.sending import send

from toril.core.durations import LONGEST_MS
from toril.toolkit.limits.arbiter import Arbiter
from toril.toolkit.limits.limit import Limit
from toril.toolkit.limits.local_limits import LocalLimits
from toril.toolkit.limits.rate import LONGEST_PERIOD_MS, MOST
from toril.toolkit.limits.ruling import Ruling

PERIODS_MS: Final = (1, 7, 999, 1_000, 60_000, 86_400_000, LONGEST_PERIOD_MS)
QUOTAS: Final = (1, 2, 3, 7, 999, 1_000, 7_001, 600_000, 999_999, 10**6, 10**9 + 7, MOST - 1, MOST)
COSTS: Final = (1, 2, 3, 1_000, 999_983)


def _is_allowed(quota: int, period_ms: int, burst: int) -> bool:
    in_range = quota <= period_ms * 1000 and burst <= MOST
    return in_range and burst * period_ms <= LONGEST_MS * quota


CASES: Final = [
    (quota, period_ms, burst)
    for quota, period_ms in product(QUOTAS, PERIODS_MS)
    for burst in {1, quota, min(2 * quota, MOST)}
    if _is_allowed(quota, period_ms, burst)
]


def test_what_is_granted_comes_back_when_the_rate_says(redis_client: redis.Redis) -> None:
    assert len(CASES) > 150
    for quota, period_ms, burst in CASES:
        limit = Limit(f"{quota}/{period_ms}ms", burst=burst)
        exact_us = Fraction(period_ms * 1000, quota)
        for cost in {*COSTS, burst // 2, burst - 1, burst}:
            if 1 <= cost <= burst:
                _check(redis_client, limit, cost, cost * exact_us)


def _check(client: redis.Redis, limit: Limit, cost: int, exact_us: Fraction) -> None:
    arbiter, gauges = Arbiter(f"{limit}", limit, {}), LocalLimits()
    hit = arbiter.request(str(cost), cost).hit
    ruling = send(client, hit)
    assert isinstance(ruling, Ruling)
    assert ruling == gauges.hit(hit.rows, 0, ruling.now_us)
    [reading] = ruling.readings
    took_us = reading.neutral_us - ruling.now_us
    where = f"{limit!r}, {cost}"
    assert reading.left == limit.capacity - cost, where
    assert exact_us <= took_us <= ceil(exact_us * (1 + Fraction(1, 10**6))), where


def test_whoever_asks_all_the_time_gets_all_of_a_fast_rate() -> None:
    """With a burst of one they would be as far apart as it says, in whole microseconds."""
    for quota in (100_000, 300_007, 500_001, 600_000, 999_999, 1_000_000):
        arbiter, gauges = Arbiter("fast", Limit(f"{quota}/second", burst=2), {}), LocalLimits()
        rows = arbiter.request("k", 1).hit.rows
        moments = range(10**9, 10**9 + 10**5)
        granted = sum(gauges.hit(rows, 0, now_us).granted for now_us in moments)

        assert quota // 10 <= granted <= quota // 10 + 2
