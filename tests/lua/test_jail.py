"""No script touches a key outside its object: the server itself is asked to refuse it."""

import contextlib
from collections.abc import Iterator

import pytest
import redis
from redis.exceptions import RedisError
from tests.lua.sending import send
from tests.support.operation_samples import EVERY_ROOM, QUEUE
from tests.support.samples import Samples
from tests.support.servers import ValkeyServer

from toril.core.operation import Operation

USER = "jailed"
PASSWORD = "jailed"  # noqa: S105 - of a server that lives for one test


@contextlib.contextmanager
def jail(server: ValkeyServer, room: Samples) -> Iterator[redis.Redis]:
    """A client that may touch the keys of these samples, and no others."""
    with server.client() as admin:
        admin.execute_command(
            *("ACL", "SETUSER", USER, "reset", "on", f">{PASSWORD}", "+@all", "-@dangerous"),
            *(f"~{start}*" for start in room.starts),
        )
        with server.client(username=USER, password=PASSWORD) as jailed:
            yield jailed
        admin.execute_command("ACL", "DELUSER", USER)
        admin.acl_log_reset()


def refusals(server: ValkeyServer) -> list[str]:
    """What the server refused a script, even where the script caught it by `redis.pcall`."""
    with server.client(decode_responses=True) as admin:
        log = [entry for entry in admin.acl_log() if entry["context"] in {"lua", "script"}]
        return [f"{entry['reason']} {entry['object']}" for entry in log]


@pytest.mark.parametrize(
    ("room", "operation"),
    [
        pytest.param(room, operation, id=name)
        for room in EVERY_ROOM
        for name, operation in room.operations
    ],
)
def test_it_stays_with_the_keys_of_its_object_when_that_is_empty(
    every_server: ValkeyServer, room: Samples, operation: Operation[object]
) -> None:
    with jail(every_server, room) as jailed:
        send(jailed, operation)

        assert refusals(every_server) == []


@pytest.mark.parametrize("room", EVERY_ROOM, ids=lambda room: room.name)
def test_all_of_them_stay_there_one_after_the_other(
    every_server: ValkeyServer, room: Samples
) -> None:
    """An object in every state leads scripts to the keys that they compute."""
    with jail(every_server, room) as jailed:
        for name, operation in room.operations:
            try:
                send(jailed, operation)
            except RedisError as refusal:
                pytest.fail(f"{name}: {refusal}")

            assert refusals(every_server) == [], name


@pytest.mark.parametrize("stray", ["stray", "bull:another:wait"])
@pytest.mark.parametrize("call", ["call", "pcall"])
def test_the_jail_has_walls(every_server: ValkeyServer, stray: str, call: str) -> None:
    with jail(every_server, QUEUE) as jailed:
        with contextlib.suppress(RedisError):
            jailed.eval(f"redis.{call}('GET', ARGV[1])", 0, stray)

        assert refusals(every_server) == [f"key {stray}"]
