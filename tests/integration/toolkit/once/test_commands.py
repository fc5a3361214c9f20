"""How many commands each call costs, seen by the server."""

from collections.abc import Iterator

import pytest
from tests.support.spending import spent

from toril.connection import Connection
from toril.toolkit import Once


@pytest.fixture
def connection(redis_url: str) -> Iterator[Connection]:
    with Connection(redis_url) as connection:
        yield connection


def test_what_runs_cost(redis_url: str, connection: Connection) -> None:
    once = Once("pay", connection, ttl=60)
    once.run("warm", int)
    once.forget("warm")
    table = {
        "first run": lambda: once.run("a", int),
        "replay": lambda: once.run("a", int),
        "forget": lambda: once.forget("a"),
    }

    assert {call: spent(redis_url, act) for call, act in table.items()} == {
        "first run": ["EVALSHA"] * 2,
        "replay": ["EVALSHA"],
        "forget": ["EVALSHA"],
    }
