"""Processes that ask for all they can get, some with clocks that are an hour wrong.

    python -m tests.support.limit_fleet URL SECONDS CLOCK_S

prints, as JSON, for each limit what it was granted: the server's moments and the costs.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tests.support.limit_laws import Granted

from toril import Connection
from toril.core.errors import OutcomeUnknownError
from toril.telemetry.emitter import Emitter
from toril.toolkit.limits import Limit, RateLimiter

RATES: Final = ("7/s", "100/s", "5/10s", "5/200ms")

OPTIONS: Final[list[dict[str, object]]] = [
    {},
    {"burst": 3},
    {"algorithm": "leaky_bucket"},
    {"algorithm": "fixed_window"},
    {"algorithm": "fixed_window", "align": "first_hit"},
    {"algorithm": "sliding_log"},
    {"algorithm": "sliding_counter"},
    {"algorithm": "sliding_counter", "mode": "weighted"},
]

LIMITS: Final = [
    Limit(rate, **options)  # type: ignore[arg-type]
    for rate in RATES
    for options in OPTIONS
]

_ROOT: Final = Path(__file__).parents[2]
_END_S: Final = 30.0


def saturate(url: str, seconds: float) -> dict[str, list[Granted]]:
    """Ask each limit in turn, as often as one connection can."""
    granted: dict[str, list[Granted]] = {repr(limit): [] for limit in LIMITS}
    with Connection(url, emitter=Emitter()) as connection:
        limiters = [
            RateLimiter(
                f"fleet {limit}", limit, connection, timeout=5, on_error="raise", deny_cache=0
            )
            for limit in LIMITS
        ]
        _ask(limiters, granted.values(), seconds)
    return granted


def _ask(limiters: Sequence[RateLimiter], granted: Iterable[list[Granted]], seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for limiter, grants in zip(limiters, granted, strict=True):
            cost = 1 + len(grants) % 2
            with suppress(OutcomeUnknownError):
                decision = limiter.hit("k", cost)
                if decision.allowed:
                    grants.append(Granted(decision.ruling.slot_us, cost))


@contextmanager
def fleet(url: str, seconds: float, processes: int) -> Iterator[Callable[[], Iterable[str]]]:
    """Start them; the function waits for what each of them prints."""
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.support.limit_fleet", url, str(seconds), str(clock_s)],
            cwd=_ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for clock_s in [(3_600, 0, -3_600, 0)[number % 4] for number in range(processes)]
    ]

    def outputs() -> Iterator[str]:
        for process in running:
            printed, _ = process.communicate(timeout=seconds + _END_S)
            assert process.returncode == 0
            yield printed

    try:
        yield outputs
    finally:
        for process in running:
            process.kill()
            process.wait()


def _shift_clock(seconds: float) -> None:
    real_s, real_ns = time.time, time.time_ns
    time.time = lambda: real_s() + seconds
    time.time_ns = lambda: real_ns() + round(seconds * 1e9)


if __name__ == "__main__":
    _shift_clock(float(sys.argv[3]))
    print(json.dumps(saturate(sys.argv[1], float(sys.argv[2]))))  # noqa: T201 - its result
