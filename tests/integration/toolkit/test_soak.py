"""All patterns but `Redlock` at once, for a long time, on a cluster where all happens that may.

Masters are replaced in good order, so no write that was answered is lost, and every law must hold.
What a failover that loses writes may cost a lock is tried in `locks/test_replicas.py`.

The seed decides what is done by whom and to whom, and not how that interleaves: a rare failure may
need several runs of `--randomly-seed`, which is printed at the top.
"""

import os
import random
import threading
from collections.abc import Iterator
from threading import Event
from time import monotonic
from typing import Final

import pytest
from tests.support.servers import wait_until
from tests.support.soak.cast import LASTING
from tests.support.soak.play import Soak
from tests.support.soak.stormy_cluster import StormyCluster

LONG_S: Final = int(os.environ.get("TORIL_SOAK_S", "1800"))
QUICK: Final = pytest.mark.timeout(90)
LONG: Final = (pytest.mark.long, pytest.mark.timeout(LONG_S + 240))

MINUTE_MS: Final = 60_000
MIB: Final = 2**20


@pytest.mark.parametrize(
    "seconds",
    [pytest.param(15, marks=QUICK), pytest.param(LONG_S, marks=LONG)],
    ids=["quick", "long"],
)
def test_every_law_holds_in_every_weather_and_nothing_is_left(seconds: int) -> None:
    seed = random.randrange(10**9)
    print(f"seed {seed}")  # noqa: T201 - for whoever looks into a failure
    with StormyCluster(random.Random(seed)) as cluster:
        threads, dice = set(threading.enumerate()), random.Random(seed)
        with Soak(cluster.url, seed) as soak:
            storm(cluster, seconds / 3, dice)
            stored = cluster.stored_bytes()
            storm(cluster, seconds * 2 / 3, dice)
            soak.until_all_have_done_more()
        print(dict(soak.done), dict(soak.errors), cluster.lost_replies)  # noqa: T201 - likewise

        assert soak.laws.breaches == []
        assert soak.tasks_left == set()
        wait_until(lambda: set(threading.enumerate()) <= threads, "all threads have ended", 10)
        wait_until(lambda: not cluster.guests(), "all connections are closed", 10)
        assert_only_what_lasts_is_left(cluster, in_the_end=seconds > 60)
        assert cluster.stored_bytes() < stored + MIB


def storm(cluster: StormyCluster, seconds: float, dice: random.Random) -> None:
    failover_every_s = min(60.0, seconds / 3)
    next_at = monotonic() + failover_every_s
    for now in beats(seconds, dice):
        dice.choice([cluster.kill_connections, cluster.kill_connections, cluster.forget_scripts])()
        if now > next_at:
            cluster.fail_over()
            next_at += failover_every_s
        assert {key for key, left_ms in cluster.lives().items() if left_ms == -1} == set()


def beats(seconds: float, dice: random.Random) -> Iterator[float]:
    """Moments half a second apart, while there is time."""
    until, never = monotonic() + seconds, Event()
    while monotonic() < until:
        never.wait(dice.uniform(0.3, 0.7))
        yield monotonic()


def assert_only_what_lasts_is_left(cluster: StormyCluster, *, in_the_end: bool) -> None:
    """What was given up in doubt is remembered for a minute; only the long form has that long."""

    def is_so() -> bool:
        lives = cluster.lives()
        return all(
            key in LASTING or (left_ms <= MINUTE_MS and not in_the_end)
            for key, left_ms in lives.items()
        )

    wait_until(is_so, "only what lasts is left", 75 if in_the_end else 5)
