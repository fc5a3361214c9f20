"""Which node of a cluster has which keys."""

from collections.abc import Sequence
from typing import Final

from redis.crc import key_slot

from toril.connection.target import Tcp
from toril.core.errors import UnavailableError
from toril.core.operation import Reply

SLOTS: Final = 16384


def slot_of(key: str) -> int:
    """The slot of a key: of its hash tag when it has one."""
    return key_slot(key.encode())


class SlotMap:
    """The masters as one node of the cluster described them."""

    def __init__(self, reply: Reply, asked: Tcp) -> None:
        if not isinstance(reply, list):
            raise UnavailableError(str(asked), "it does not describe a cluster")
        self._ranges: Final = [
            (int(first), int(last), _master(node, asked)) for first, last, node, *_ in reply
        ]
        self.nodes: Final = tuple(dict.fromkeys(node for _, _, node in self._ranges))

    def node_of(self, key: str) -> Tcp:
        """The master that serves this key."""
        slot = slot_of(key)
        for first, last, node in self._ranges:
            if first <= slot <= last:
                return node
        server = str(self.nodes[0]) if self.nodes else "the cluster"
        raise UnavailableError(server, f"no node serves slot {slot}")


def _master(node: Sequence[bytes | int | None], asked: Tcp) -> Tcp:
    host, port = node[0], node[1]
    # A node that does not know its own name means: where you found me.
    name = host.decode() if isinstance(host, bytes) and host not in (b"", b"?") else asked.host
    return Tcp(name, int(port or asked.port))
