"""Rate limiters as subjects of the benchmarks: `limiters.py toril`, `limits` or `throttled`.

Each asks for one key, one call after the other, with its blocking client.
"""

import json
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

Call: TypeAlias = Callable[[], object]

KEY: Final = "user:7"
HUGE: Final = 100_000_000
"""Calls an hour: nobody is refused."""


def toril(url: str, verb: str) -> Call:
    from toril.toolkit import Limit, RateLimiter

    limits = {
        "window": Limit(f"{HUGE}/hour", algorithm="fixed_window"),
        "statistics": Limit(f"{HUGE}/hour", algorithm="fixed_window"),
        "gcra": Limit(f"{HUGE}/hour", burst=1_000),
        "denied": Limit("1/hour", algorithm="fixed_window"),
    }
    limiter = RateLimiter("bench", limits[verb], url)
    return lambda: limiter.hit(KEY)


def limits(url: str, verb: str) -> Call:
    from limits import parse
    from limits.storage import RedisStorage
    from limits.strategies import FixedWindowRateLimiter

    item = parse("1/hour" if verb == "denied" else f"{HUGE}/hour")
    limiter = FixedWindowRateLimiter(RedisStorage(url))

    def with_statistics() -> object:
        return limiter.hit(item, KEY), limiter.get_window_stats(item, KEY)

    return with_statistics if verb == "statistics" else lambda: limiter.hit(item, KEY)


def throttled(url: str, verb: str) -> Call:
    from throttled import RedisStore, Throttled, rate_limiter

    quota = rate_limiter.per_hour(HUGE, burst=1_000)
    throttle = Throttled(key=KEY, using=verb, quota=quota, store=RedisStore(server=url))
    limit: Call = throttle.limit
    return limit


SUBJECTS: Final = {"toril": toril, "limits": limits, "throttled": throttled}


def measure(make: Callable[[str, str], Call], request: Mapping[str, Any]) -> dict[str, float]:
    """Call `warm` times, then measure `count` more."""
    call = make(f"redis://127.0.0.1:{request['port']}", request["verb"])
    for _ in range(request["warm"]):
        call()
    began = time.perf_counter()
    for _ in range(request["count"]):
        call()
    return {"seconds": time.perf_counter() - began}


def serve(make: Callable[[str, str], Call]) -> None:
    """Answer requests until there are no more."""
    for line in sys.stdin:
        try:
            answer: dict[str, object] = {"value": measure(make, json.loads(line))}
        except Exception as error:  # noqa: BLE001 - whoever asked is told
            answer = {"error": repr(error)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve(SUBJECTS[sys.argv[1]])
