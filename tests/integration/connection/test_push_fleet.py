"""A fleet hears every node, says when it may have missed something, and follows the nodes."""

import asyncio
import math
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing, suppress
from time import monotonic

import pytest
from tests.support.fleets import SentinelSet, ValkeyCluster
from tests.support.proxy import Proxy
from tests.support.servers import ValkeyServer, wait_until

from toril.connection import Target, stop_embedded
from toril.connection.push_fleet import PushFleet
from toril.connection.slots import slot_of
from toril.core.operation import Argument, Reply

TRACKING = ("CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", "c:")


class Ears:
    """Follows the keys below `c:` and keeps what it hears."""

    def __init__(self) -> None:
        self.news: asyncio.Queue[bytes] = asyncio.Queue()
        self.openings: asyncio.Queue[str] = asyncio.Queue()

    def opening(self) -> Sequence[Sequence[Argument]]:
        return (TRACKING,)

    def opened(self) -> None:
        self.openings.put_nowait("opened")

    def heard(self, news: list[Reply]) -> None:
        for key in news[1]:
            self.news.put_nowait(key)

    def lost(self) -> None:
        self.openings.put_nowait("lost")

    async def next_opening(self) -> str:
        return await asyncio.wait_for(self.openings.get(), 15)

    async def next_key(self) -> bytes:
        return await asyncio.wait_for(self.news.get(), 5)


@asynccontextmanager
async def listening(target: object, ears: Ears) -> AsyncIterator[PushFleet]:
    fleet = PushFleet(Target.of(target), purpose="changes", listener=ears)
    task = asyncio.create_task(fleet.run())
    try:
        assert await ears.next_opening() == "opened"
        yield fleet
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert fleet.heard_until == -math.inf


def tracking_links(server: ValkeyServer) -> list[str]:
    with server.client() as client:
        return [each["id"] for each in client.client_list() if "B" in each["flags"]]


def keys_of_every_node(cluster: ValkeyCluster) -> list[str]:
    nodes: dict[int, str] = {}
    for number in range(1_000):
        node = cluster.node_of(slot_of(f"c:{number}"))
        nodes.setdefault(node.port, f"c:{number}")
        if len(nodes) == len(cluster.nodes):
            break
    return list(nodes.values())


async def test_one_server_is_a_fleet_of_one(every_server: ValkeyServer) -> None:
    ears = Ears()
    before = monotonic()
    async with listening(every_server.url, ears) as fleet:
        assert before <= fleet.heard_until <= monotonic()
        with every_server.client() as client:
            client.set("c:1", "x")
        assert await ears.next_key() == b"c:1"
        assert len(tracking_links(every_server)) == 1

    assert await ears.next_opening() == "lost"


async def test_every_sign_of_life_moves_the_time_until_which_all_was_heard(redis_url: str) -> None:
    async with listening(redis_url, Ears()) as fleet:
        first = fleet.heard_until
        await asyncio.to_thread(wait_until, lambda: fleet.heard_until != first, "a sign of life")
        assert first < fleet.heard_until <= monotonic()


async def test_a_link_that_is_killed_is_told_at_once(valkey: ValkeyServer, redis_url: str) -> None:
    ears = Ears()
    async with listening(redis_url, ears):
        [link] = tracking_links(valkey)
        with valkey.client() as client:
            killed_at = monotonic()
            client.client_kill_filter(_id=link)
        assert await ears.next_opening() == "lost"
        assert monotonic() - killed_at < 0.5
        assert await ears.next_opening() == "opened"


async def test_a_silent_server_is_not_heard_any_more(proxy: Proxy) -> None:
    ears = Ears()
    async with listening(proxy.url, ears) as fleet:
        proxy.silence()
        last = fleet.heard_until
        assert await ears.next_opening() == "lost"
        assert fleet.heard_until == -math.inf
        assert monotonic() - last < 4
        proxy.speak()
        assert await ears.next_opening() == "opened"


async def test_all_nodes_of_a_cluster_are_heard(cluster: ValkeyCluster) -> None:
    ears = Ears()
    keys = keys_of_every_node(cluster)
    async with listening(cluster.url, ears):
        with closing(cluster.client()) as client:
            for key in keys:
                client.set(key, "x")
        heard = {await ears.next_key() for _ in keys}

    assert heard == {key.encode() for key in keys}


async def test_one_lost_line_of_a_cluster_is_told_and_made_again(cluster: ValkeyCluster) -> None:
    ears = Ears()
    async with listening(cluster.url, ears) as fleet:
        [link] = tracking_links(cluster.nodes[1])
        with cluster.nodes[1].client() as client:
            client.client_kill_filter(_id=link)
        assert await ears.next_opening() == "lost"
        assert await ears.next_opening() == "opened"
        assert fleet.heard_until > monotonic() - 5


async def test_looking_again_asks_another_node(cluster: ValkeyCluster) -> None:
    for node in cluster.nodes:
        with node.client() as client:
            client.config_resetstat()
    async with listening(cluster.url, Ears()) as fleet:
        looked_at = fleet.heard_until
        await asyncio.to_thread(wait_until, lambda: fleet.heard_until > looked_at + 2, "a look")

    asked = [node for node in cluster.nodes if "cmdstat_cluster|slots" in stats(node)]
    assert len(asked) >= 2


def stats(node: ValkeyServer) -> dict[str, object]:
    with node.client() as client:
        return dict(client.info("commandstats"))


@pytest.mark.timeout(60)
async def test_a_new_master_is_followed() -> None:
    ears = Ears()
    with SentinelSet() as sentinels:
        async with listening(sentinels.url, ears):
            with sentinels.master.client() as client:
                client.set("c:old", "x")
            assert await ears.next_key() == b"c:old"
            await asyncio.to_thread(sentinels.fail_over)
            assert await ears.next_opening() == "lost"
            assert await ears.next_opening() == "opened"
            with sentinels.replica.client() as client:
                client.set("c:new", "x")
            while await ears.next_key() != b"c:new":
                pass


@pytest.mark.timeout(60)
async def test_a_replica_that_takes_over_in_a_cluster_is_followed() -> None:
    ears = Ears()
    with ValkeyCluster(replicas=1) as cluster:
        async with listening(cluster.url, ears):
            [replica] = cluster.replicas
            keys = keys_of_every_node(cluster)
            key = next(key for key in keys if cluster.node_of(slot_of(key)) is cluster.nodes[0])
            cluster.fail_over(replica)
            assert await ears.next_opening() == "lost"
            assert await ears.next_opening() == "opened"
            cluster.nodes[0].kill()
            with replica.client() as client:
                client.set(key, "x")
            while await ears.next_key() != key.encode():
                pass


async def test_an_embedded_server_that_has_ended_is_started_again() -> None:
    ears = Ears()
    try:
        async with listening("embedded://", ears):
            await asyncio.to_thread(stop_embedded)
            assert await ears.next_opening() == "lost"
            assert await ears.next_opening() == "opened"
    finally:
        stop_embedded()
