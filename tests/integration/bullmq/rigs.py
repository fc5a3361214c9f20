"""What the fixtures of this folder hand out."""

from collections.abc import Callable
from typing import Any, Protocol

import redis
from tests.support.keyspace import clean_keyspace
from tests.support.servers import ValkeyServer

from toril import Worker


class KeyspaceGuard:
    """Checks every queue on the servers of a test when all of the test is over."""

    def __init__(self) -> None:
        self._clients: dict[int, redis.Redis] = {}
        self._ignored: list[str] = []

    def watch(self, client: redis.Redis) -> None:
        """Check this server, too."""
        port = client.connection_pool.connection_kwargs["port"]
        self._clients[port] = client

    def ignore(self, *laws: str) -> None:
        """For a test whose very subject is a queue that somebody else has damaged."""
        self._ignored += laws

    def check(self) -> None:
        for client in self._clients.values():
            with client, clean_keyspace(client, ignoring=self._ignored):
                pass


class Hire(Protocol):
    """Start a worker with this handler, at this server, with these options."""

    def __call__(self, handler: Callable[..., object], url: str, **options: Any) -> Worker: ...  # noqa: ANN401


class StartServer(Protocol):
    """Start a server with these options; it ends with the test."""

    def __call__(self, **options: str | int) -> ValkeyServer: ...
