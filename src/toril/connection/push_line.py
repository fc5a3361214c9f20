"""A connection on which the server speaks unasked: messages of channels, and keys that changed."""

import asyncio
import math
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic
from typing import Final, Protocol

from toril.connection._async.channel import AsyncChannel
from toril.connection._async.locator import locator_of
from toril.connection.outage import Outage
from toril.connection.refusal import LostError, Refusal
from toril.connection.request import pack
from toril.connection.target import Address, Target
from toril.core.errors import DeniedError, TorilError, UnavailableError
from toril.core.operation import Argument, Reply
from toril.telemetry.emitter import Emitter

_PING_EVERY_S: Final = 1.0
_PONG_WITHIN_S: Final = 2.0

LONGEST_SILENCE_S: Final = _PING_EVERY_S + _PONG_WITHIN_S
"""A server that is gone without a word is noticed after so long."""


class PushListener(Protocol):
    """Who hears what comes on a `PushLine`; called in the line's loop, and must not block."""

    def opening(self) -> Sequence[Sequence[Argument]]:
        """The commands of a new connection; each is answered, or the connection is of no use."""
        ...

    def opened(self) -> None:
        """From now on everything is heard."""
        ...

    def heard(self, news: list[Reply]) -> None:
        """The server said something: its kind, such as `message` or `invalidate`, and the rest."""
        ...

    def lost(self) -> None:
        """Whatever was said since the last answer to a ping may have been missed."""
        ...


class PushLine:
    """Listens to the node that has `key`, or to the one at `address`: what is lost is made again.

    It is asked for a sign of life every second. `run` is a task of its own; the other methods
    belong into the same loop.
    """

    def __init__(
        self,
        target: Target,
        *,
        key: str = "",
        address: Address | None = None,
        purpose: str,
        listener: PushListener,
        emitter: Emitter | None = None,
    ) -> None:
        self.heard_until = -math.inf
        """All that the server said before this moment of the monotonic clock has been heard.

        Minus infinity while there is no connection. Any thread may look.
        """
        self._key: Final = key
        self._address: Final = address
        self._listener: Final = listener
        self._timeout_s: Final = target.session.reply_timeout_ms / 1000
        self._locator: Final = locator_of(target)
        self._outage: Final = Outage(purpose, emitter)
        self._channel: AsyncChannel | None = None
        self.version: tuple[int, ...] = ()
        """Of the server that was reached last, as it calls itself to clients of Redis."""

    async def run(self) -> None:
        """Listen until this is cancelled."""
        try:
            while True:
                with suppress(UnavailableError, DeniedError):
                    await self._listen()
                await asyncio.sleep(self._outage.rest_s)
        finally:
            self._drop()

    def tell(self, *words: Argument) -> None:
        """Send a command whose answer is news; lost, when there is no connection now."""
        if self._channel:
            self._channel.tell(pack(*words))

    async def _listen(self) -> None:
        """Until the connection ends, which is noted; raises what has kept it from beginning."""
        server = ""
        try:
            address = self._address or await self._locator.address_of(self._key)
            server = str(address)
            asked_at = monotonic()
            channel = await self._open(await self._locator.open(address))
        except TorilError as error:
            self._failed(server or str(error), str(error))
            raise
        self._channel = channel
        self._outage.ended(server)
        self.heard_until = asked_at
        self._listener.opened()
        try:
            await self._stay(channel)
        except LostError as lost:
            self._failed(server, lost.problem)
        finally:
            self.heard_until = -math.inf
            self._drop()
            self._listener.lost()

    async def _stay(self, channel: AsyncChannel) -> None:
        """Ask again and again whether somebody is there."""
        ended = asyncio.Event()
        channel.on_end = ended.set
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(_PING_EVERY_S):
                    await ended.wait()
            asked_at = monotonic()
            await channel.exchange(pack("PING"), 1, _PONG_WITHIN_S)
            self.heard_until = asked_at

    async def _open(self, channel: AsyncChannel) -> AsyncChannel:
        channel.on_push = self._listener.heard
        words = [("HELLO", 3), *self._listener.opening()]
        payload = b"".join([pack(*command) for command in words])
        try:
            replies = await channel.exchange(payload, len(words), self._timeout_s)
        except LostError as lost:
            raise UnavailableError(channel.server, lost.problem) from lost
        for reply in replies:
            if isinstance(reply, Refusal):
                channel.abort()
                raise UnavailableError(channel.server, reply.text)
        self.version = _version_of(replies[0])
        return channel

    def _failed(self, server: str, problem: str) -> None:
        self._locator.forget()
        self._outage.failed(server, problem)

    def _drop(self) -> None:
        channel, self._channel = self._channel, None
        if channel:
            channel.abort()


def _version_of(hello: Reply) -> tuple[int, ...]:
    match hello:
        case {b"version": bytes(version)}:
            return tuple(int(number) for number in version.split(b".") if number.isdigit())
        case _:
            return ()
