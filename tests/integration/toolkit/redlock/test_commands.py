"""How many commands each call costs, seen by the server."""

from contextlib import ExitStack

from tests.support.servers import ValkeyServer
from tests.support.spending import spent

from toril.toolkit import Redlock


def test_what_a_lock_on_several_servers_costs_each_of_them() -> None:
    """It asks who they are, asks for the lock, raises the fences to one, and lets it go."""
    with ExitStack() as stack:
        servers = [stack.enter_context(ValkeyServer()) for _ in range(3)]
        lock = Redlock("a", [server.url for server in servers], ttl=0.5, timeout=5)

        def hold() -> None:
            with lock.hold(wait=10):
                pass

        hold()
        commands = spent(servers[0].url, hold)
        lock.close()

    assert commands in (["EVALSHA"] * 5, ["EVALSHA"] * 3)
