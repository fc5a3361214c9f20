"""One URL or client for every way to connect, ready to use."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.fleets import SentinelSet, ValkeyCluster
from tests.support.proxy import Proxy
from tests.support.servers import ValkeyServer
from tests.support.tls import Authority

from toril.connection import Target, stop_embedded


@pytest.fixture
def proxy(valkey: ValkeyServer, redis_url: str) -> Iterator[Proxy]:
    """A proxy before an empty server."""
    del redis_url
    with Proxy(valkey.port) as running:
        yield running


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="session")
def tls_proxy(valkey: ValkeyServer, authority: Authority) -> Iterator[Proxy]:
    """The shared server behind TLS, with a certificate for 127.0.0.1 alone."""
    with Proxy(valkey.port, tls=authority.server_context("127.0.0.1")) as running:
        yield running


@pytest.fixture
def embedded_folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "data"
    stop_embedded()


@pytest.fixture
def tls_url(tls_proxy: Proxy, authority: Authority) -> str:
    return f"rediss://127.0.0.1:{tls_proxy.port}?ca_certs={authority.ca_file}"


@pytest.fixture
def unix_url(valkey: ValkeyServer) -> str:
    return f"unix://{valkey.socket_path}"


@pytest.fixture
def sentinel_url(sentinels: SentinelSet) -> str:
    return sentinels.url


@pytest.fixture
def cluster_url(cluster: ValkeyCluster) -> str:
    return cluster.url


@pytest.fixture
def embedded_url() -> str:
    return "embedded://"


@pytest.fixture
def folder_url(embedded_folder: Path) -> str:
    return f"embedded://{embedded_folder}"


_URLS = (
    "redis_url",
    "unix_url",
    "tls_url",
    "sentinel_url",
    "cluster_url",
    "embedded_url",
    "folder_url",
)


@pytest.fixture(params=_URLS)
def target_of_every_kind(request: pytest.FixtureRequest) -> Target:
    """Once for each scheme of URL; keys may be left over from other tests."""
    return Target.of(request.getfixturevalue(request.param))
