"""How many commands each call costs, seen by the server."""

from collections.abc import Iterator

import pytest
from tests.support.spending import spent

from toril.connection import Connection
from toril.toolkit import RWLock, Semaphore


@pytest.fixture
def connection(redis_url: str) -> Iterator[Connection]:
    with Connection(redis_url) as connection:
        yield connection


def test_what_permits_cost(redis_url: str, connection: Connection) -> None:
    semaphore, page = Semaphore("a", connection, permits=1), RWLock("a", connection)
    warm = semaphore.acquire()
    assert warm is not None

    def write() -> None:
        with page.write():
            pass

    write()
    page.info()
    table = {
        "extend": lambda: warm.extend(30),
        "acquire(wait=0), none free": lambda: semaphore.acquire(wait=0),
        "info": semaphore.info,
        "release": warm.release,
        "write": write,
        "check": warm.remaining,
    }

    assert {call: spent(redis_url, act) for call, act in table.items()} == {
        "extend": ["EVALSHA"],
        "acquire(wait=0), none free": ["EVALSHA"],
        "info": ["EVALSHA"],
        "release": ["EVALSHA"],
        "write": ["EVALSHA"] * 2,
        "check": [],
    }
