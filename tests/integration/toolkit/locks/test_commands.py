"""How many commands each call costs, seen by the server."""

from collections.abc import Iterator

import pytest
from tests.support.spending import spent

from toril.connection import Connection
from toril.toolkit import Fence, Lock, MultiLock


def hold(lock: Lock | MultiLock) -> None:
    with lock.hold():
        pass


@pytest.fixture
def connection(redis_url: str) -> Iterator[Connection]:
    with Connection(redis_url) as connection:
        yield connection


def test_what_each_call_costs(redis_url: str, connection: Connection) -> None:
    lock, fence = Lock("a", connection), Fence(connection)
    locks = MultiLock(["b", "c", "d"], connection)
    warm = lock.acquire()
    assert warm is not None
    fence.check("x", 1)
    hold(locks)

    table = {
        "extend": lambda: warm.extend(30),
        "acquire(wait=0), held": lambda: lock.acquire(wait=0),
        "info": lock.info,
        "release": warm.release,
        "hold": lambda: hold(lock),
        "break_": lock.break_,
        "fence.check": lambda: fence.check("x", 2),
        "hold three": lambda: hold(locks),
        "check": warm.remaining,
    }

    assert {call: spent(redis_url, act) for call, act in table.items()} == {
        "extend": ["EVALSHA"],
        "acquire(wait=0), held": ["EVALSHA"],
        "info": ["EVALSHA"],
        "release": ["EVALSHA"],
        "hold": ["EVALSHA"] * 2,
        "break_": ["EVALSHA"],
        "fence.check": ["EVALSHA"],
        "hold three": ["EVALSHA"] * 4,
        "check": [],
    }
