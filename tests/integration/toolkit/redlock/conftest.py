"""Five servers that know nothing of each other, each behind a proxy."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest
from tests.support.proxy import Proxy
from tests.support.servers import ValkeyServer


@dataclass(frozen=True)
class Party:
    """The servers, and the ways to them."""

    servers: list[ValkeyServer]
    proxies: list[Proxy]

    @property
    def urls(self) -> list[str]:
        return [proxy.url for proxy in self.proxies]


@pytest.fixture(scope="session")
def five_servers() -> Iterator[list[ValkeyServer]]:
    with ExitStack() as stack:
        yield [stack.enter_context(ValkeyServer()) for _ in range(5)]


@pytest.fixture
def party(five_servers: list[ValkeyServer]) -> Iterator[Party]:
    """All of them empty."""
    with ExitStack() as stack:
        for server in five_servers:
            with server.client() as client:
                client.flushall()
        yield Party(
            five_servers, [stack.enter_context(Proxy(server.port)) for server in five_servers]
        )
