"""Rate limits: how many calls may happen in a time, over all processes together."""

from toril.toolkit.limits._async.limiter import AsyncRateLimiter
from toril.toolkit.limits._sync.limiter import RateLimiter
from toril.toolkit.limits.decision import Decision
from toril.toolkit.limits.limit import Limit
from toril.toolkit.limits.options import LimiterOptions
from toril.toolkit.limits.standing import Standing
from toril.toolkit.limits.stats import LimiterStats

__all__ = [
    "AsyncRateLimiter",
    "Decision",
    "Limit",
    "LimiterOptions",
    "LimiterStats",
    "RateLimiter",
    "Standing",
]
