"""One socket to one server: bytes out, as many replies back, in time or never again.

A hand-written pair with `_sync/channel.py`. The parser works straight in the protocol's callback
and a whole batch wakes its caller once: this is where a worker spends its calls.
"""

import asyncio
import math
from collections.abc import Callable
from typing import Final, Self, TypeAlias, cast

import hiredis

from toril.connection.greeting import Greeting
from toril.connection.refusal import LostError, Refusal, explain, explain_end
from toril.connection.sockets import Lookout, tune
from toril.connection.target import Address, Session, Tcp
from toril.connection.tls import tls_context
from toril.core.errors import UnavailableError
from toril.core.operation import Reply
from toril.core.process import known_process_id

Hearer: TypeAlias = Callable[[list[Reply]], None]

_NOTHING: Final = object()
_ABORTED: Final = "closed here"

# A loop that was held up runs its timers late, with the reply already in the socket: look once
# more before taking silence for death.
_SECOND_LOOK_S: Final = 0.005


class AsyncChannel(asyncio.Protocol):
    """A connection with one user and one request in flight.

    It never reconnects. After a failure, a timeout or a cancelled call it is closed, because the
    next reply on it would belong to somebody else's question.
    """

    def __init__(self, address: Address) -> None:
        self.address: Final = address
        self.server: Final = str(address)
        self._loop: Final = asyncio.get_running_loop()
        self._pid: Final = known_process_id()
        self._reader: Final = hiredis.Reader(replyError=Refusal, notEnoughData=_NOTHING)
        self._transport: asyncio.Transport | None = None
        self._lookout: Lookout | None = None
        self._replies: list[Reply] = []
        self._missing = 0
        self._waiter: asyncio.Future[None] | None = None
        # One timer for many exchanges: it looks at the deadline when it fires, and goes on.
        self._timer: asyncio.TimerHandle | None = None
        self._deadline = 0.0
        self._problem = ""
        self.on_push: Hearer | None = None
        """Hears what the server says unasked, which it does in RESP3 alone."""
        self.on_end: Callable[[], object] | None = None
        """Called when the connection is over, for whoever waits without a question."""

    @classmethod
    async def open(cls, address: Address, session: Session, within_s: float = math.inf) -> Self:
        """Connect and introduce ourselves.

        Raises:
            UnavailableError: Nobody answers there, or not now.
            DeniedError: The credentials are refused.
        """
        channel = cls(address)
        timeout_s = min(session.connect_timeout_ms / 1000, within_s)
        try:
            async with asyncio.timeout(timeout_s):
                await channel._dial(session)
                await channel._greet(session, timeout_s)
        except (LostError, OSError) as error:
            channel.abort()
            raise UnavailableError(str(address), explain(error)) from error
        except BaseException:
            channel.abort()
            raise
        return channel

    async def _dial(self, session: Session) -> None:
        address = self.address
        if isinstance(address, Tcp):
            context = tls_context(session.tls) if session.tls else None
            await self._loop.create_connection(
                lambda: self, address.host, address.port, ssl=context
            )
        else:
            await self._loop.create_unix_connection(lambda: self, address.path)

    async def _greet(self, session: Session, timeout_s: float) -> None:
        source = session.credentials
        greeting = Greeting(session, await source.get_credentials_async() if source else ())
        replies = await self.exchange(greeting.packed, greeting.count, timeout_s)
        greeting.check(replies, self.server)

    @property
    def is_usable(self) -> bool:
        """Whether a request may be sent: in order, and not hung up on in the meantime."""
        return self.is_in_order and not (self._lookout and self._lookout.sees_something())

    @property
    def is_in_order(self) -> bool:
        """Whether it has not been broken here, and is of this process and loop."""
        return (
            self._transport is not None
            and not self._transport.is_closing()
            and self._pid == known_process_id()
            and self._loop is asyncio.get_running_loop()
        )

    @property
    def was_aborted(self) -> bool:
        """Whether it ended because somebody here wanted it to."""
        return self._problem == _ABORTED

    async def exchange(self, payload: bytes, count: int, timeout_s: float) -> list[Reply]:
        """Send these bytes and wait for that many replies.

        Raises:
            LostError: The connection broke or stayed silent; whether the server acted is unknown.
        """
        if self._transport is None or self._problem:
            raise LostError(self._problem)
        self._missing = count
        self._waiter = self._loop.create_future()
        self._watch(timeout_s)
        self._transport.write(payload)
        try:
            await self._waiter
        except BaseException:
            self.abort()
            raise
        finally:
            self._waiter = None
        replies, self._replies = self._replies, []
        return replies

    def tell(self, payload: bytes) -> None:
        """Send something whose answer is news, as that to SUBSCRIBE is in RESP3."""
        if self._transport and not self._problem:
            self._transport.write(payload)

    def abort(self) -> None:
        """Close at once, without a word to the server."""
        self._break(_ABORTED)
        self._stop_watching()
        # After a fork, or when its loop is gone, the socket is for others to close.
        if self._transport and self._pid == known_process_id() and not self._loop.is_closed():
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The loop's call: the socket is open."""
        # Not asyncio's class under uvloop, though it does the same.
        self._transport = cast("asyncio.Transport", transport)
        sock = transport.get_extra_info("socket")
        tune(sock)
        self._lookout = Lookout(sock.fileno())

    def data_received(self, data: bytes) -> None:
        """The loop's call: some bytes of the replies."""
        try:
            self._reader.feed(data)
            while (reply := self._reader.gets()) is not _NOTHING:
                if reply.__class__ is hiredis.PushNotification:
                    self._pushed(reply)
                else:
                    self._replies.append(reply)
        except hiredis.HiredisError as error:
            self._break(explain(error))
            self.abort()
            return
        if len(self._replies) >= self._missing and self._waiter and not self._waiter.done():
            self._waiter.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """The loop's call: the socket is closed."""
        self._break(explain_end(exc, self._replies))
        self._stop_watching()
        if self.on_end:
            self.on_end()

    def _pushed(self, news: list[Reply]) -> None:
        if self.on_push:
            self.on_push(news)

    def _watch(self, timeout_s: float) -> None:
        self._deadline = self._loop.time() + timeout_s
        if self._timer is not None and self._timer.when() > self._deadline:
            self._stop_watching()
        if self._timer is None:
            self._timer = self._loop.call_at(self._deadline, self._look)

    def _look(self) -> None:
        self._timer = None
        if self._waiter is None:
            return
        now = self._loop.time()
        if now < self._deadline:
            self._timer = self._loop.call_at(self._deadline, self._look)
        else:
            self._timer = self._loop.call_at(now + _SECOND_LOOK_S, self._look_again)

    def _look_again(self) -> None:
        if self._waiter is not None and self._loop.time() >= self._deadline:
            self._break(explain(TimeoutError()))
            self.abort()
        else:
            self._look()

    def _stop_watching(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _break(self, problem: str) -> None:
        self._problem = self._problem or problem
        if self._waiter and not self._waiter.done():
            self._waiter.set_exception(LostError(self._problem, self._replies))
