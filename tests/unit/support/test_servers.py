"""Servers for tests start though others are quicker to take a port."""

import socket

from tests.support.servers import ValkeyServer


def test_a_port_that_was_taken_meanwhile_is_given_up_for_another() -> None:
    """What is left open fails the test, as everywhere."""
    server = ValkeyServer()
    with socket.create_server(("127.0.0.1", server.port)) as taken, server:
        assert server.port != taken.getsockname()[1]
        with server.client() as client:
            assert client.ping()
