"""A level believes what it has read while the server tells of changes, and not a moment longer."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from time import monotonic
from typing import Final

import pytest
import redis
from tests.support.event_log import EventLog
from tests.support.fleets import ValkeyCluster
from tests.support.forks import in_fork
from tests.support.proxy import Proxy
from tests.support.servers import ValkeyServer, wait_until

from toril.connection import Target
from toril.telemetry.toolkit_cache import CacheEvent, CacheMemoryLost, CacheMemoryOpened
from toril.toolkit import background
from toril.toolkit.cache._async.flights import until_changed as wait_on_a_loop
from toril.toolkit.cache._sync.flights import until_changed as wait_in_a_thread
from toril.toolkit.cache.level import LocalLevel, Told
from toril.toolkit.cache.local.tracked_level import TrackedLevel
from toril.toolkit.cache.wire import CacheKeys

USERS: Final = CacheKeys("toril", "users")
ALICE: Final = USERS.entry("alice").value
BOB: Final = USERS.entry("bob").value
STAFF: Final = USERS.generation("staff")


@contextmanager
def level_at(url: str, log: EventLog | None = None) -> Iterator[TrackedLevel]:
    """A level that is in touch with the server."""
    log = log or EventLog()
    level = TrackedLevel(LocalLevel(), Target.of(url), USERS, log.emitter)
    try:
        wait_until(lambda: level.begin() > 0, "the server tells of changes")
        yield level
    finally:
        level.close()


def read(level: TrackedLevel, client: redis.Redis, key: str) -> None:
    """What a cache does when the level does not know."""
    since = level.begin()
    keep(level, key, client.get(key), since)


def keep(level: TrackedLevel, key: str, value: object, since: int) -> None:
    level.keep(key, value, Told(since=since, size=1, ttl_ms=60_000, depends=(STAFF,)))


def tracking_links(server: ValkeyServer) -> list[str]:
    with server.client() as client:
        return [each["id"] for each in client.client_list() if "B" in each["flags"]]


@contextmanager
def awaited_change(level: TrackedLevel, key: str) -> Iterator[None]:
    """Leave the block when the level has heard of the key."""
    changed = threading.Event()
    forget = level.on_change(key, changed.set)
    yield
    assert changed.wait(5)
    forget()


def test_what_was_read_is_known_until_somebody_changes_it(every_server: ValkeyServer) -> None:
    with every_server.client() as client, level_at(every_server.url) as level:
        client.mset({ALICE: "1", BOB: "1"})
        with awaited_change(level, BOB):
            client.set(BOB, "2")
        read(level, client, ALICE)
        read(level, client, BOB)
        assert (level.get(ALICE), level.get(BOB)) == (b"1", b"2")

        with awaited_change(level, ALICE):
            client.set(ALICE, "2")

        assert (level.get(ALICE), level.get(BOB)) == (None, b"2")


@pytest.mark.parametrize("change", ["DEL", "UNLINK", "GETDEL", "INCR"])
def test_every_way_to_change_a_key_is_heard(every_server: ValkeyServer, change: str) -> None:
    with every_server.client() as client, level_at(every_server.url) as level:
        with awaited_change(level, ALICE):
            client.set(ALICE, "1")
        read(level, client, ALICE)

        with awaited_change(level, ALICE):
            client.execute_command(change, ALICE)

        assert level.get(ALICE) is None


def test_what_depends_on_a_generation_is_forgotten_with_it(every_server: ValkeyServer) -> None:
    with every_server.client() as client, level_at(every_server.url) as level:
        since = level.begin()
        keep(level, ALICE, b"1", since)
        assert level.get(ALICE) == b"1"

        with awaited_change(level, STAFF):
            client.set(STAFF, "2")

        assert level.get(ALICE) is None
        keep(level, ALICE, b"1", since)
        assert level.get(ALICE) is None


def test_a_key_that_expires_on_the_server_is_heard_of(every_server: ValkeyServer) -> None:
    with every_server.client() as client, level_at(every_server.url) as level:
        with awaited_change(level, ALICE):
            client.set(ALICE, "1", px=100)
        read(level, client, ALICE)
        with awaited_change(level, ALICE):
            pass
        assert level.get(ALICE) is None


def test_an_answer_that_a_change_has_overtaken_is_not_kept(every_server: ValkeyServer) -> None:
    with every_server.client() as client, level_at(every_server.url) as level:
        since = level.begin()
        with awaited_change(level, ALICE):
            client.set(ALICE, "2")

        keep(level, ALICE, b"1", since)

        assert level.get(ALICE) is None


async def test_whoever_waits_for_a_change_is_woken(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with level_at(redis_url) as level:
        on_a_loop = asyncio.create_task(wait_on_a_loop(level, ALICE, 30))
        in_a_thread = asyncio.create_task(asyncio.to_thread(wait_in_a_thread, level, ALICE, 30))
        pending = {on_a_loop, in_a_thread}
        async with asyncio.timeout(10):
            while pending:
                redis_client.set(ALICE, "1")
                _, pending = await asyncio.wait(pending, timeout=0.05)


@pytest.mark.parametrize("command", ["FLUSHDB", "FLUSHALL"])
def test_a_flush_of_the_server_is_one_of_the_level(
    every_server: ValkeyServer, command: str
) -> None:
    with every_server.client() as client, level_at(every_server.url) as level:
        with awaited_change(level, ALICE):
            client.set(ALICE, "1")
        read(level, client, ALICE)
        since = level.begin()

        with awaited_change(level, BOB):
            client.execute_command(command)

        keep(level, BOB, b"1", since)
        assert (level.get(ALICE), level.get(BOB)) == (None, None)


def test_nothing_is_known_without_contact_and_all_is_read_again_after_it(
    every_server: ValkeyServer,
) -> None:
    log = EventLog()
    with every_server.client() as client, level_at(every_server.url, log) as level:
        with awaited_change(level, ALICE):
            client.set(ALICE, "1")
        read(level, client, ALICE)
        since = level.begin()
        [link] = tracking_links(every_server)

        with awaited_change(level, ALICE):
            client.client_kill_filter(_id=link)

        assert level.get(ALICE) is None
        wait_until(lambda: level.begin() > 0, "contact again")
        keep(level, BOB, b"read before", since)
        assert level.get(BOB) is None
        read(level, client, ALICE)
        assert level.get(ALICE) == b"1"

    told = [type(event) for event in log.events if isinstance(event, CacheEvent)]
    assert told == [CacheMemoryOpened, CacheMemoryLost, CacheMemoryOpened]


def test_three_seconds_of_silence_are_believed_and_no_more(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    with level_at(proxy.url) as level:
        with awaited_change(level, ALICE):
            redis_client.set(ALICE, "1")
        read(level, redis_client, ALICE)
        proxy.silence()
        silent_since = monotonic()
        redis_client.set(ALICE, "2")

        wait_until(lambda: level.get(ALICE) is None, "the level gives up")

        assert monotonic() - silent_since < 3.5
        proxy.speak()
        wait_until(lambda: level.begin() > 0, "contact again")
        assert level.get(ALICE) is None


def test_a_background_that_is_held_up_makes_nobody_believe_longer(
    valkey: ValkeyServer, redis_client: redis.Redis
) -> None:
    """As when the process was stopped and goes on: what was not heard yet must not be believed."""
    with level_at(valkey.url) as level:
        with awaited_change(level, ALICE):
            redis_client.set(ALICE, "1")
        read(level, redis_client, ALICE)
        held, go_on = threading.Event(), threading.Event()

        async def hold_up() -> None:
            held.set()
            go_on.wait(10)

        duty = background.begin(hold_up())
        assert held.wait(5)
        redis_client.set(ALICE, "2")
        assert level.get(ALICE) == b"1"
        wait_until(lambda: level.get(ALICE) is None, "the level gives up")
        go_on.set()
        duty.end()
        wait_until(lambda: level.begin() > 0, "contact again")
        assert level.get(ALICE) is None


def test_levels_of_one_cache_share_a_connection_until_the_last_is_closed(
    valkey: ValkeyServer, redis_url: str
) -> None:
    with level_at(redis_url) as first:
        with level_at(redis_url) as second:
            assert len(tracking_links(valkey)) == 1
            with (
                valkey.client() as client,
                awaited_change(first, ALICE),
                awaited_change(second, ALICE),
            ):
                client.set(ALICE, "1")
        assert len(tracking_links(valkey)) == 1
    wait_until(lambda: not tracking_links(valkey), "the connection is gone")


def test_a_level_that_is_closed_knows_nothing_and_begins_nothing(redis_url: str) -> None:
    with level_at(redis_url) as level:
        since = level.begin()
        keep(level, ALICE, b"1", since)
        assert level.get(ALICE) == b"1"
        level.close()

        assert level.get(ALICE) is None
        assert level.begin() < 0
        keep(level, ALICE, b"1", since)
        assert level.get(ALICE) is None


def test_a_fork_listens_for_itself(valkey: ValkeyServer, redis_url: str) -> None:
    with level_at(redis_url) as level:
        keep(level, ALICE, b"1", level.begin())

        def knows_nothing_and_begins() -> bool:
            if level.get(ALICE) is not None:
                return False
            wait_until(lambda: level.begin() > 0, "contact of the fork")
            return len(tracking_links(valkey)) == 2

        assert in_fork(knows_nothing_and_begins)
        assert level.get(ALICE) == b"1"


def test_changes_on_every_node_of_a_cluster_are_heard(cluster: ValkeyCluster) -> None:
    keys = [USERS.entry(f"{number}").value for number in range(20)]
    with closing(cluster.client()) as client, level_at(cluster.url) as level:
        for key in keys:
            with awaited_change(level, key):
                client.set(key, "1")
            keep(level, key, b"1", level.begin())
        assert [level.get(key) for key in keys] == [b"1"] * 20

        for key in keys:
            with awaited_change(level, key):
                client.set(key, "2")

        assert [level.get(key) for key in keys] == [None] * 20
