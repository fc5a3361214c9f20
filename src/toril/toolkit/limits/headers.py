"""Rate limits in the headers of a response.

`RateLimit-Policy` and `RateLimit` are those of the draft of the IETF's HTTPAPI group, whose items
are named by the limit itself. The `X-RateLimit-` ones have no standard; the reset is in seconds
from now, which needs no agreement about the time.
"""

import math
from collections.abc import Mapping, Sequence

from toril.core.checks import check_one_of
from toril.toolkit.limits.standing import Standing


def ietf_headers(standings: Sequence[Standing], retry_after: float | None) -> Mapping[str, str]:
    """All limits, in both headers."""
    policies, states = [], []
    for one in standings:
        name, window_s = f'"{one.limit.rate}"', math.ceil(one.limit.period_ms / 1000)
        policies.append(f"{name};q={one.limit.quota};w={window_s}")
        states.append(f"{name};r={one.remaining};t={math.ceil(one.reset_after)}")
    headers = {"RateLimit-Policy": ", ".join(policies), "RateLimit": ", ".join(states)}
    return headers | _retry_after(retry_after)


def legacy_headers(style: str, one: Standing, retry_after: float | None) -> Mapping[str, str]:
    """The limit that matters most."""
    check_one_of(style, ("ietf", "legacy"), "style")
    headers = {
        "X-RateLimit-Limit": str(one.limit.quota),
        "X-RateLimit-Remaining": str(one.remaining),
        "X-RateLimit-Reset": str(math.ceil(one.reset_after)),
    }
    return headers | _retry_after(retry_after)


def _retry_after(seconds: float | None) -> dict[str, str]:
    return {"Retry-After": str(math.ceil(seconds))} if seconds else {}
