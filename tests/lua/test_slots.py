"""All keys of an operation lie in one slot, and a real cluster agrees."""

from collections.abc import Iterator

import pytest
import redis
from redis.crc import key_slot
from redis.exceptions import RedisError
from tests.lua.sending import send
from tests.support.fleets import ValkeyCluster
from tests.support.operation_samples import EVERY_ROOM, QUEUE
from tests.support.samples import Samples
from tools.lua_scripts import lua_files

from toril.core.operation import Operation


@pytest.fixture
def on_cluster(cluster: ValkeyCluster) -> Iterator[redis.RedisCluster]:
    """A client of the cluster, on which the objects of the samples are empty."""
    with cluster.client() as client:
        for start in (start for room in EVERY_ROOM for start in room.starts):
            for key in client.scan_iter(f"{start}*"):
                client.delete(key)
        yield client


def test_every_script_has_a_sample() -> None:
    written = {repr(one.script) for one in lua_files() if not one.is_helper}
    tried = {
        repr(operation.call().script) for room in EVERY_ROOM for _, operation in room.operations
    }

    assert tried == written


@pytest.mark.parametrize(
    "operation",
    [
        pytest.param(operation, id=name)
        for room in EVERY_ROOM
        for name, operation in room.operations
    ],
)
def test_its_keys_share_a_slot(operation: Operation[object]) -> None:
    keys = operation.call().all_keys

    assert keys
    assert len({key_slot(key.encode()) for key in keys}) == 1


def test_all_operations_on_a_queue_share_its_slot() -> None:
    keys = {key for _, operation in QUEUE.operations for key in operation.call().all_keys}

    assert {key_slot(key.encode()) for key in keys} == {key_slot(QUEUE.starts[0].encode())}


@pytest.mark.parametrize("room", EVERY_ROOM, ids=lambda room: room.name)
def test_all_of_them_run_on_a_cluster(on_cluster: redis.RedisCluster, room: Samples) -> None:
    for name, operation in room.operations:
        try:
            send(on_cluster, operation)
        except RedisError as refusal:
            pytest.fail(f"{name}: {refusal}")
