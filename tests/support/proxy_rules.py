"""What a proxy does to which request."""

import asyncio
import socket
import struct
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

_LINGER_NOT: Final = struct.pack("ii", 1, 0)


class Fault(Enum):
    """What happens to a request that a rule is about, and to its connection."""

    LOSE_REPLY = auto()
    """The server gets it and answers; the connection breaks before the answer is passed on."""

    LOSE_HALF_REPLY = auto()
    """As above, but half of the answer is passed on."""

    LOSE_REQUEST = auto()
    """The connection breaks before the server has got it."""

    KEEP_REQUEST = auto()
    """As above, and the server gets it when `deliver_kept` is called, whatever came meanwhile."""

    DELAY = auto()
    """The server gets it later."""


@dataclass(eq=False)
class Rule:
    """Every `every`-th request with `trigger` in it, `times` in all, or without an end.

    A trigger is a command word or the digest of a script. `struck` counts.
    """

    trigger: bytes
    fault: Fault
    every: int = 1
    times: int | None = None
    delay_s: float = 0.0
    seen: int = 0
    struck: int = 0

    def strikes(self, request: bytes) -> bool:
        """Whether this one is meant; counts it."""
        if self.trigger not in request or self.struck == self.times:
            return False
        self.seen += 1
        if self.seen % self.every:
            return False
        self.struck += 1
        return True


class Weather:
    """What the network does to every byte of every connection, in both directions."""

    def __init__(self) -> None:
        self.delay_s = 0.0
        self.trickle_bytes = 0
        self._is_swallowing = False
        self._flows = asyncio.Event()
        self._flows.set()

    def swallow(self) -> None:
        """Nothing arrives, and what is sent now never will."""
        self._is_swallowing = True

    def hold(self) -> None:
        """Nothing arrives until `clear`; then all of it does, late."""
        self._flows.clear()

    def clear(self) -> None:
        """Forward again. Connections that lost bytes stay silent: nothing on them fits together."""
        self._is_swallowing = False
        self._flows.set()

    async def pass_on(self, data: bytes, target: asyncio.StreamWriter) -> None:
        """Forward these bytes, as the weather permits."""
        if self._is_swallowing:
            await asyncio.Event().wait()
        await self._flows.wait()
        if self.delay_s:
            await asyncio.sleep(self.delay_s)
        while self.trickle_bytes and data:
            target.write(data[: self.trickle_bytes])
            data = data[self.trickle_bytes :]
            await asyncio.sleep(0.01)
        target.write(data)


def reset(writer: asyncio.StreamWriter) -> None:
    """End a connection with RST instead of FIN: at once, whatever is still on its way."""
    sock: socket.socket | None = writer.get_extra_info("socket")
    if sock is not None and sock.fileno() >= 0:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
    writer.transport.abort()
