"""A client of any kind names a server, a user and a database."""

from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
import redis
import redis.asyncio
import redis.asyncio.sentinel
import redis.sentinel
import valkey
import valkey.asyncio
import valkey.asyncio.sentinel
import valkey.sentinel
from tests.support.fleets import SERVICE, SentinelSet, ValkeyCluster
from tests.support.operations import Bump, Look
from tests.support.proxy import Proxy
from tests.support.servers import ValkeyServer
from tests.support.tls import Authority

from toril.connection import AsyncRunner, Target

PASSWORD = "sesame"  # noqa: S105 - of a server that lives for a test

_CLIENTS: dict[str, Callable[..., object]] = {
    "sync": redis.Redis,
    "async": redis.asyncio.Redis,
    "valkey sync": valkey.Valkey,
    "valkey async": valkey.asyncio.Valkey,
}


@pytest.fixture(params=_CLIENTS)
def client_class(request: pytest.FixtureRequest) -> Callable[..., object]:
    return _CLIENTS[request.param]


async def _works(client: object) -> None:
    async with AsyncRunner(Target.of(client)) as runner:
        assert await runner.run(Bump("clients:a")) > 0


async def test_a_client_with_database_and_password(client_class: Callable[..., object]) -> None:
    with ValkeyServer(requirepass=PASSWORD) as server:
        client = client_class(
            port=server.port, db=2, password=PASSWORD, decode_responses=True, protocol=3
        )

        await _works(client)

        assert server.client(password=PASSWORD, db=2).get("clients:a") == b"1"


async def test_a_client_with_a_credential_provider(client_class: Callable[..., object]) -> None:
    provider = redis.UsernamePasswordCredentialProvider(password=PASSWORD)
    with ValkeyServer(requirepass=PASSWORD) as server:
        await _works(client_class(port=server.port, credential_provider=provider))


async def test_a_client_of_a_unix_socket(
    client_class: Callable[..., object], valkey: ValkeyServer
) -> None:
    await _works(client_class(unix_socket_path=str(valkey.socket_path)))


async def test_a_client_with_tls(
    client_class: Callable[..., object], tls_proxy: Proxy, authority: Authority
) -> None:
    ca_file = str(authority.ca_file)

    await _works(
        client_class(host="127.0.0.1", port=tls_proxy.port, ssl=True, ssl_ca_certs=ca_file)
    )


@pytest.mark.parametrize(
    "module",
    [redis.sentinel, redis.asyncio.sentinel, valkey.sentinel, valkey.asyncio.sentinel],
)
async def test_a_client_made_by_sentinel(module: object, sentinels: SentinelSet) -> None:
    addresses = [("127.0.0.1", sentinel.port) for sentinel in sentinels.sentinels]
    manager = module.Sentinel(addresses)  # type: ignore[attr-defined]

    await _works(manager.master_for(SERVICE))


@pytest.mark.parametrize("cluster_class", [redis.RedisCluster, valkey.ValkeyCluster])
async def test_a_sync_client_of_a_cluster(
    cluster: ValkeyCluster, cluster_class: Callable[..., Any]
) -> None:
    with closing(cluster_class(host="127.0.0.1", port=cluster.nodes[0].port)) as client:
        await _works(client)


@pytest.mark.parametrize(
    "cluster_class", [redis.asyncio.RedisCluster, valkey.asyncio.ValkeyCluster]
)
async def test_an_async_client_of_a_cluster(
    cluster: ValkeyCluster, cluster_class: Callable[..., object]
) -> None:
    client = cluster_class(host="127.0.0.1", port=cluster.nodes[0].port)

    async with AsyncRunner(Target.of(client)) as runner:
        assert await runner.run(Look("clients:nothing")) == 0
