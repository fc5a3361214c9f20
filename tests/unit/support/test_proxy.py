"""The proxy leaves nothing open, whoever comes while it ends."""

import socket

from tests.support.proxy import Proxy


def test_whoever_comes_while_it_ends_is_not_left_open() -> None:
    """What is left open fails the test, as everywhere."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        for _ in range(20):
            with Proxy(server.getsockname()[1]) as proxy:
                visitor = socket.create_connection(("127.0.0.1", proxy.port))
            visitor.close()
