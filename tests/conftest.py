"""Servers for every test: one of each kind per test process, emptied before each test."""

import gc
from collections.abc import Iterator

import pytest
import redis
from tests.support.fleets import SentinelSet, ValkeyCluster
from tests.support.servers import EVERY_SERVER, ServerMissingError, ValkeyServer


def _emptied(server: ValkeyServer) -> str:
    with server.client() as client:
        client.flushall()
    return server.url


def pytest_collection_finish() -> None:
    """All that is here now stays to the end: nobody needs to look through it again."""
    gc.freeze()


@pytest.fixture(autouse=True)
def _nothing_left_open() -> Iterator[None]:
    """What nobody closed fails the test that opened it, not one that comes later."""
    yield
    gc.collect()


@pytest.fixture(scope="session")
def valkey() -> Iterator[ValkeyServer]:
    """Valkey 9.1, shared by the tests of this process."""
    with ValkeyServer() as server:
        yield server


@pytest.fixture
def redis_url(valkey: ValkeyServer) -> str:
    """An empty Valkey 9.1."""
    return _emptied(valkey)


@pytest.fixture
def redis_client(redis_url: str) -> Iterator[redis.Redis]:
    """A plain client of the server at `redis_url`, for looking at it from outside."""
    with redis.Redis.from_url(redis_url) as client:
        yield client


@pytest.fixture(scope="session", params=EVERY_SERVER)
def _each_server(request: pytest.FixtureRequest) -> Iterator[ValkeyServer]:
    server = EVERY_SERVER[request.param]
    try:
        server.find_binary()
    except ServerMissingError as missing:
        pytest.skip(str(missing))
    with server() as running:
        yield running


@pytest.fixture
def every_server(_each_server: ValkeyServer) -> ValkeyServer:
    """Once per supported server: Valkey 9.1, Redis 6.2, Redis 7.0; empty."""
    _emptied(_each_server)
    return _each_server


@pytest.fixture(scope="session")
def cluster() -> Iterator[ValkeyCluster]:
    """Three Valkey masters; tests keep to keys of their own."""
    with ValkeyCluster() as running:
        yield running


@pytest.fixture(scope="session")
def sentinels() -> Iterator[SentinelSet]:
    """A master with one replica and a sentinel; tests that fail over start their own."""
    with SentinelSet() as running:
        yield running
