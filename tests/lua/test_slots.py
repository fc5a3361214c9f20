"""All keys of an operation lie in one slot, and a real cluster agrees."""

from collections.abc import Iterator

import pytest
import redis
from redis.crc import key_slot
from redis.exceptions import RedisError
from tests.lua.sending import send
from tests.support.fleets import ValkeyCluster
from tests.support.operation_samples import KEYS, SAMPLES
from tools.lua_scripts import lua_files

from toril.core.operation import Operation


@pytest.fixture
def on_cluster(cluster: ValkeyCluster) -> Iterator[redis.RedisCluster]:
    """A client of the cluster, on which the queue of the samples is empty."""
    with cluster.client() as client:
        for pattern in (f"{KEYS.base}*", f"{KEYS.own('')}*"):
            for key in client.scan_iter(pattern):
                client.delete(key)
        yield client


def test_every_script_has_a_sample() -> None:
    written = {one.script.name for one in lua_files() if not one.is_helper}

    assert {operation.call().script.name for _, operation in SAMPLES} == written


@pytest.mark.parametrize(
    "operation", [pytest.param(operation, id=name) for name, operation in SAMPLES]
)
def test_its_keys_share_the_slot_of_the_queue(operation: Operation[object]) -> None:
    keys = operation.call().all_keys

    assert keys
    assert {key_slot(key.encode()) for key in keys} == {key_slot(KEYS.base.encode())}


def test_all_of_them_run_on_a_cluster(on_cluster: redis.RedisCluster) -> None:
    for name, operation in SAMPLES:
        try:
            send(on_cluster, operation)
        except RedisError as refusal:
            pytest.fail(f"{name}: {refusal}")
