"""Many processes with memory in front of Redis: none sees what has been wrong for too long.

Two processes change a hundred keys and invalidate them, others read them all the time, through a
proxy that breaks. What counts is how long a newer version had been certain when a read began.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from time import monotonic
from typing import Final

import pytest
from tests.support.cache_theatre import CacheTheatre, Play
from tests.support.fleets import ValkeyCluster
from tests.support.proxy import Proxy
from tests.support.servers import ValkeyServer

from toril.connection.slots import slot_of

BOUND_S: Final = 3.0
"""What the page says: three seconds after the last sign of life."""

SOON_S: Final = 1.5
"""A connection that ends, rather than falls silent, is noticed at once; on a busy machine, soon."""

LONG: Final = (pytest.mark.long, pytest.mark.timeout(240))

quick_and_long: Final = pytest.mark.parametrize(
    ("readers", "seconds"), [(4, 4), pytest.param(8, 60, marks=LONG)]
)

pytestmark = pytest.mark.timeout(60)


@pytest.fixture(scope="module")
def truth() -> Iterator[ValkeyServer]:
    with ValkeyServer() as server:
        yield server


@contextmanager
def theatre(
    cache: str, steady: str, truth: ValkeyServer, *, readers: int
) -> Iterator[CacheTheatre]:
    with truth.client() as client:
        client.flushall()
    with CacheTheatre(
        cache=cache, steady=steady, truth=truth.url, readers=readers, seed=random.randrange(10**6)
    ) as playing:
        yield playing


def beats(seconds: float) -> Iterator[float]:
    """Moments half a second apart, while there is time."""
    until, never = monotonic() + seconds, Event()
    while monotonic() < until:
        never.wait(random.uniform(0.3, 0.7))
        yield monotonic()


def kill_links(server: ValkeyServer) -> None:
    """Somebody's connection for changes, and now and then everything else."""
    with server.client() as client:
        links = [each["id"] for each in client.client_list() if "B" in each["flags"]]
        for link in random.sample(links, min(2, len(links))):
            client.client_kill_filter(_id=link)
        if random.random() < 0.3:
            client.client_kill_filter(_type="normal", skipme=True)


def commands(server: ValkeyServer) -> int:
    with server.client() as client:
        return int(client.info("commandstats")["cmdstat_evalsha"]["calls"])


def assert_coherent(play: Play, bound_s: float = BOUND_S) -> None:
    assert play.writes > 50
    assert play.latest.late_s <= bound_s, play.latest
    assert not play.errors


@quick_and_long
def test_nobody_sees_what_was_wrong_for_longer_than_the_bound(
    every_server: ValkeyServer, truth: ValkeyServer, *, readers: int, seconds: int
) -> None:
    with every_server.client() as client:
        client.config_resetstat()
    with (
        Proxy(every_server.port) as proxy,
        theatre(proxy.url, every_server.url, truth, readers=readers) as playing,
    ):
        for _ in beats(seconds):
            random.choice([lambda: kill_links(every_server), proxy.drop_all])()
        play = playing.end()

    assert_coherent(play, SOON_S)
    assert play.reads > 2 * commands(every_server), "most reads are answered from memory"


@quick_and_long
def test_a_network_cut_leaves_nothing_stale_behind(
    valkey: ValkeyServer, redis_url: str, truth: ValkeyServer, *, readers: int, seconds: int
) -> None:
    ends = []
    with (
        Proxy(valkey.port) as proxy,
        theatre(proxy.url, redis_url, truth, readers=readers) as playing,
    ):
        for _ in range(1 + seconds // 10):
            for _ in beats(1.5):
                pass
            proxy.silence()
            for _ in beats(5):
                pass
            ends.append(monotonic())
            proxy.speak()
        for _ in beats(1.5):
            pass
        play = playing.end()

    assert_coherent(play)
    assert [play.from_before(end) for end in ends] == [[] for _ in ends]


def test_a_reader_that_was_stopped_believes_nothing_from_before(
    redis_url: str, truth: ValkeyServer
) -> None:
    with theatre(redis_url, redis_url, truth, readers=4) as playing:
        for _ in beats(1):
            pass
        with playing.stopped_reader():
            for _ in beats(4):
                pass
            goes_on_at = monotonic()
        for _ in beats(1):
            pass
        play = playing.end()

    assert_coherent(play)
    assert play.from_before(goes_on_at - BOUND_S) == []


@pytest.mark.parametrize("seconds", [4, pytest.param(60, marks=LONG)])
def test_slots_that_move_and_a_master_that_is_replaced(
    truth: ValkeyServer, *, seconds: int
) -> None:
    with (
        ValkeyCluster(replicas=1) as cluster,
        theatre(cluster.url, cluster.url, truth, readers=3) as playing,
    ):
        for number, _ in enumerate(beats(seconds)):
            _disturb(cluster, number)
        play = playing.end()

    assert_coherent(play)


def _disturb(cluster: ValkeyCluster, number: int) -> None:
    master, replica = cluster.nodes[0], cluster.replicas[0]
    slot = slot_of(f"{{users:{random.randrange(100)}}}")
    home = cluster.node_of(slot)
    deeds: list[Callable[[], None]] = [
        lambda: cluster.migrate(slot, next(node for node in cluster.nodes[1:] if node is not home)),
        lambda: kill_links(home),
        lambda: cluster.fail_over(replica),
        lambda: cluster.fail_over(master),
    ]
    deeds[number % len(deeds)]()
