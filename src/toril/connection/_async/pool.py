"""Connections for many short calls: taken for one exchange, given back, kept for the next."""

import math
from typing import Final

from toril.connection._async.channel import AsyncChannel
from toril.connection._async.locator import AsyncLocator
from toril.connection._async.pause import AsyncPlaces
from toril.connection.target import Address
from toril.core.errors import UnavailableError
from toril.core.process import process_id


class AsyncPool:
    """At most `size` connections in use at once; whoever comes later waits for one.

    The connection used last is used first again, so that the others may grow old and be noticed.
    """

    def __init__(self, locator: AsyncLocator, size: int) -> None:
        self._locator: Final = locator
        self._size: Final = size
        # Replaced together after a fork: what was taken then will never be given back here.
        self._pid = process_id()
        self._places = AsyncPlaces(size)
        self._is_closed = False
        self._idle: dict[Address, list[AsyncChannel]] = {}

    def channel_to(self, address: Address, within_s: float = math.inf) -> "_AsyncLoan":
        """A usable connection to this server, for one exchange: `async with` it.

        Raises:
            UnavailableError: the server could not be reached, or others keep every connection.
        """
        if self._pid != process_id():
            self._start_over()
        return _AsyncLoan(self, self._places, address, within_s)

    async def take(self, address: Address, within_s: float) -> AsyncChannel:
        """A connection that was used before, or a new one."""
        return self._take(address) or await self._locator.open(address, within_s)

    def busy(self, address: Address) -> UnavailableError:
        """What to say to somebody who waited for a place in vain."""
        return UnavailableError(str(address), f"all {self._size} connections are in use")

    def _take(self, address: Address) -> AsyncChannel | None:
        idle = self._idle.get(address, [])
        while True:
            try:
                channel = idle.pop()
            except IndexError:  # not looked at before: another thread may be quicker
                return None
            if channel.is_usable:
                return channel
            channel.abort()

    def give_back(self, channel: AsyncChannel) -> None:
        """Keep it for the next, if it is in order."""
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
        self._places = AsyncPlaces(self._size)
        self.drop_idle()
        # Last: another thread that sees it may use all the rest.
        self._pid = process_id()


class _AsyncLoan:
    """A place, and while the block lasts a connection."""

    __slots__ = ("_address", "_channel", "_places", "_pool", "_within_s")

    def __init__(
        self, pool: AsyncPool, places: AsyncPlaces, address: Address, within_s: float
    ) -> None:
        self._pool = pool
        self._places = places
        self._address = address
        self._within_s = within_s

    async def __aenter__(self) -> AsyncChannel:
        if not await self._places.enter(self._within_s):
            raise self._pool.busy(self._address)
        try:
            self._channel = await self._pool.take(self._address, self._within_s)
        except BaseException:
            self._places.leave()
            raise
        return self._channel

    async def __aexit__(self, *_: object) -> None:
        try:
            self._pool.give_back(self._channel)
        finally:
            self._places.leave()
