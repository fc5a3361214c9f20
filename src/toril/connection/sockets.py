"""What every socket of ours wants from the operating system."""

import select
import socket
from typing import Final

# After a minute of silence the kernel asks, every ten seconds, three times.
_KEEPALIVE: Final = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}


def tune(sock: socket.socket) -> None:
    """Send small writes at once, and notice a peer that vanished while nobody was asking."""
    if sock.family == getattr(socket, "AF_UNIX", None):
        return
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEPALIVE.items():
        if hasattr(socket, name):
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


class Lookout:
    """Tells whether bytes, or the end of the connection, are there already.

    Between requests there is nothing to read but the end, which a busy process, or one without a
    loop, has not noticed yet. Asking costs a microsecond and saves an unknown outcome.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor: Final = descriptor
        # Not select(), where there is a choice: it cannot look at descriptors beyond 1023.
        self._poll: Final = select.poll() if hasattr(select, "poll") else None
        if self._poll:
            self._poll.register(descriptor, select.POLLIN)

    def sees_something(self) -> bool:
        """Look once, without waiting."""
        if self._poll:
            return bool(self._poll.poll(0))
        return bool(select.select([self._descriptor], [], [], 0)[0])
