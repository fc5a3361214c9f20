"""Give this process a wrong wall clock; the monotonic one stays right, as it does in life."""

import time


def skew_clock(by_s: float) -> None:
    """Whoever asks `time` for the time of day hears it `by_s` late or early from now on."""
    real_ns = time.time_ns
    by_ns = round(by_s * 1e9)
    time.time_ns = lambda: real_ns() + by_ns
    time.time = lambda: (real_ns() + by_ns) / 1e9
