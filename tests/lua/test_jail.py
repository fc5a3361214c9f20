"""No script touches a key outside its queue: the server itself is asked to refuse it."""

import contextlib
from collections.abc import Iterator

import pytest
import redis
from redis.exceptions import RedisError
from tests.lua.sending import send
from tests.support.operation_samples import KEYS, SAMPLES
from tests.support.servers import ValkeyServer

from toril.core.operation import Operation

USER = "jailed"
PASSWORD = "jailed"  # noqa: S105 - of a server that lives for one test


@pytest.fixture
def jail(every_server: ValkeyServer) -> Iterator[redis.Redis]:
    """A client that may touch the queue's keys and toril's own beside them, and no others."""
    with every_server.client() as admin:
        admin.execute_command(
            *("ACL", "SETUSER", USER, "reset", "on", f">{PASSWORD}", "+@all", "-@dangerous"),
            *(f"~{KEYS.base}*", f"~{KEYS.own('')}*"),
        )
        with every_server.client(username=USER, password=PASSWORD) as jailed:
            yield jailed
        admin.execute_command("ACL", "DELUSER", USER)
        admin.acl_log_reset()


def refusals(server: ValkeyServer) -> list[str]:
    """What the server refused a script, even where the script caught it by `redis.pcall`."""
    with server.client(decode_responses=True) as admin:
        log = [entry for entry in admin.acl_log() if entry["context"] in {"lua", "script"}]
        return [f"{entry['reason']} {entry['object']}" for entry in log]


@pytest.mark.parametrize(
    "operation", [pytest.param(operation, id=name) for name, operation in SAMPLES]
)
def test_it_stays_with_the_keys_of_its_queue_when_that_is_empty(
    every_server: ValkeyServer, jail: redis.Redis, operation: Operation[object]
) -> None:
    send(jail, operation)

    assert refusals(every_server) == []


def test_all_of_them_stay_there_one_after_the_other(
    every_server: ValkeyServer, jail: redis.Redis
) -> None:
    """A queue with jobs in every state leads scripts to the keys that they compute."""
    for name, operation in SAMPLES:
        try:
            send(jail, operation)
        except RedisError as refusal:
            pytest.fail(f"{name}: {refusal}")

        assert refusals(every_server) == [], name


@pytest.mark.parametrize("stray", ["stray", "bull:another:wait"])
@pytest.mark.parametrize("call", ["call", "pcall"])
def test_the_jail_has_walls(
    every_server: ValkeyServer, jail: redis.Redis, stray: str, call: str
) -> None:
    with contextlib.suppress(RedisError):
        jail.eval(f"redis.{call}('GET', ARGV[1])", 0, stray)

    assert refusals(every_server) == [f"key {stray}"]
