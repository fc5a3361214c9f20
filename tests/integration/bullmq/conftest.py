"""Real servers, workers beside the test, and a keyspace that every test leaves in order."""

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
import redis
from tests.integration.bullmq.rigs import Hire, KeyspaceGuard, StartServer
from tests.support.fleets import SentinelSet, ValkeyCluster
from tests.support.keyspace import clean_keyspace
from tests.support.proxy import Proxy
from tests.support.servers import ValkeyServer

from toril import AsyncClaims, Worker
from toril.telemetry.emitter import Emitter

_PATIENCE_S = 10.0


@pytest.fixture(autouse=True)
def keyspace() -> Iterator[KeyspaceGuard]:
    """Set up before everything else, so that it looks when everything else is gone."""
    guard = KeyspaceGuard()
    yield guard
    guard.check()


@pytest.fixture
def redis_url(redis_url: str, keyspace: KeyspaceGuard) -> str:
    keyspace.watch(redis.Redis.from_url(redis_url))
    return redis_url


@pytest.fixture
def every_server(every_server: ValkeyServer, keyspace: KeyspaceGuard) -> ValkeyServer:
    keyspace.watch(every_server.client())
    return every_server


@pytest.fixture
def proxy(valkey: ValkeyServer, redis_url: str) -> Iterator[Proxy]:
    """A proxy before an empty server."""
    del redis_url
    with Proxy(valkey.port) as running:
        yield running


@pytest.fixture
def durable_server() -> Iterator[ValkeyServer]:
    """A server of the test's own, that keeps its data over a restart."""
    with ValkeyServer(append_only=True, appendfsync="always") as server:
        yield server
        with server.client() as client, clean_keyspace(client):
            pass


@pytest.fixture
def cluster(cluster: ValkeyCluster, keyspace: KeyspaceGuard) -> ValkeyCluster:
    """The one that all tests share; each node is looked at when the test is over."""
    for node in cluster.nodes:
        keyspace.watch(node.client())
    return cluster


@pytest.fixture
def cluster_url(cluster: ValkeyCluster) -> str:
    return cluster.url


@pytest.fixture
def sentinel_url(sentinels: SentinelSet, keyspace: KeyspaceGuard) -> str:
    with sentinels.master.client() as client:
        client.flushall()
    keyspace.watch(sentinels.master.client())
    return sentinels.url


@pytest.fixture
def hire() -> Iterator[Hire]:
    """Blocking workers in threads of their own; they drain when the test is over."""
    with ExitStack() as everybody:

        def start(handler: Callable[..., object], url: str, **options: Any) -> Worker:  # noqa: ANN401
            queue = options.pop("queue", "mail")
            worker = Worker(queue, handler, url, emitter=Emitter(), **options)
            thread = threading.Thread(target=worker.run, kwargs={"handle_signals": False})
            thread.start()

            def end() -> None:
                worker.close()
                thread.join(_PATIENCE_S)
                assert not thread.is_alive(), "the worker did not end"

            everybody.callback(end)
            return worker

        yield start


@pytest.fixture
def own_server() -> Iterator[StartServer]:
    """Servers with options of the test's own."""
    with ExitStack() as servers:

        def start(**options: str | int) -> ValkeyServer:
            server = servers.enter_context(ValkeyServer(**options))
            client = servers.enter_context(server.client())
            servers.enter_context(clean_keyspace(client))
            return server

        yield start


@pytest.fixture
async def claims(redis_url: str) -> AsyncIterator[AsyncClaims]:
    async with AsyncClaims("mail", redis_url, emitter=Emitter()) as claims:
        yield claims
