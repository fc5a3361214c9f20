"""What the tests of the toolkit share."""

from collections.abc import Iterator

import pytest
from tests.support.proxy import Proxy
from tests.support.servers import ValkeyServer


@pytest.fixture
def proxy(valkey: ValkeyServer, redis_url: str) -> Iterator[Proxy]:
    """A proxy before an empty server."""
    del redis_url
    with Proxy(valkey.port) as running:
        yield running
