"""Connections for many short calls: taken for one exchange, given back, kept for the next."""

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from os import getpid
from typing import Final

from toril.connection._async.channel import AsyncChannel
from toril.connection._async.locator import AsyncLocator
from toril.connection._async.pause import AsyncSemaphore, enter
from toril.connection.target import Address
from toril.core.errors import UnavailableError


class AsyncPool:
    """At most `size` connections in use at once; whoever comes later waits for one.

    The connection used last is used first again, so that the others may grow old and be noticed.
    """

    def __init__(self, locator: AsyncLocator, size: int) -> None:
        self._locator: Final = locator
        self._size: Final = size
        # Replaced together after a fork: what was taken then will never be given back here.
        self._pid = getpid()
        self._room = AsyncSemaphore(size)
        self._is_closed = False
        self._idle: dict[Address, list[AsyncChannel]] = {}

    @asynccontextmanager
    async def channel_to(
        self, address: Address, within_s: float = math.inf
    ) -> AsyncIterator[AsyncChannel]:
        """A usable connection to this server, for one exchange.

        Raises:
            UnavailableError: the server could not be reached, or others keep every connection.
        """
        if self._pid != getpid():
            self._start_over()
        room = self._room
        if not await enter(room, within_s):
            raise UnavailableError(str(address), f"all {self._size} connections are in use")
        try:
            channel = self._take(address) or await self._locator.open(address, within_s)
            try:
                yield channel
            finally:
                self._give_back(channel)
        finally:
            room.release()

    def _take(self, address: Address) -> AsyncChannel | None:
        idle = self._idle.get(address, [])
        while idle:
            channel = idle.pop()
            if channel.is_usable:
                return channel
            channel.abort()
        return None

    def _give_back(self, channel: AsyncChannel) -> None:
        if channel.is_in_order:
            idle = self._idle.setdefault(channel.address, [])
            idle.append(channel)
            if not self._is_closed and self._idle.get(channel.address) is idle:
                return
        # It is broken, or the pool was closed or emptied, maybe by another thread just now.
        channel.abort()

    def close(self) -> None:
        """Close what nobody is using now, and the rest when it is given back."""
        self._is_closed = True
        self.drop_idle()

    def drop_idle(self) -> None:
        """Close what nobody is using."""
        idle, self._idle = self._idle, {}
        for channels in idle.values():
            for channel in channels:
                channel.abort()

    def _start_over(self) -> None:
        self._pid = getpid()
        self._room = AsyncSemaphore(self._size)
        self.drop_idle()
