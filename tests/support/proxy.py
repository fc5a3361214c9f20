"""A TCP proxy that misbehaves on request; optionally the end of a TLS connection.

It runs on a loop and thread of its own, so blocking tests and asyncio tests use it alike.
"""

import asyncio
import ssl
import threading
from collections.abc import Coroutine
from typing import Final, Self, TypeVar

T = TypeVar("T")

_TIMEOUT_S: Final = 10.0
_READ_BYTES: Final = 64 * 1024


class Proxy:
    """Forwards `port` to the server's port until told otherwise.

    `cut_after(trigger)` lets the server have the next request that contains the trigger, waits
    until it has answered, and then breaks the connection instead of passing the answer on.
    `silence()` keeps connections open and swallows every byte, like a network that lost its way.
    """

    def __init__(self, server_port: int, *, tls: ssl.SSLContext | None = None) -> None:
        self.port = 0
        self.cuts = 0
        self._server_port: Final = server_port
        self._tls: Final = tls
        self._trigger = b""
        self._is_silent = False
        self._loop: Final = asyncio.new_event_loop()
        self._thread: Final = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._pipes: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        """The proxied server."""
        return f"redis://127.0.0.1:{self.port}"

    def cut_after(self, trigger: bytes) -> None:
        """Once, for the next request with these bytes in it."""
        self._trigger = trigger

    def silence(self) -> None:
        """From now on nothing arrives, in either direction."""
        self._is_silent = True

    def speak(self) -> None:
        """Forward again, on new connections: on the old ones bytes are missing."""
        self._is_silent = False

    def drop_all(self) -> None:
        """Break every connection."""
        self._call(self._drop_all())

    def __enter__(self) -> Self:
        self._thread.start()
        self._call(self._start())
        return self

    def __exit__(self, *_: object) -> None:
        self._call(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_TIMEOUT_S)
        self._loop.close()

    def _call(self, coroutine: Coroutine[object, object, T]) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(_TIMEOUT_S)

    async def _start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _stop(self) -> None:
        assert self._server is not None
        self._server.close()
        await self._drop_all()

    async def _drop_all(self) -> None:
        for pipe in tuple(self._pipes):
            pipe.cancel()
        await asyncio.gather(*self._pipes, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        pipe = asyncio.current_task()
        assert pipe is not None
        self._pipes.add(pipe)
        try:
            await self._join(reader, writer)
        except (asyncio.CancelledError, OSError):
            pass  # dropped, by us or by one of the ends
        finally:
            self._pipes.discard(pipe)
            writer.transport.abort()

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        back_reader, back_writer = await asyncio.open_connection("127.0.0.1", self._server_port)
        cut = asyncio.Event()
        there = asyncio.create_task(self._requests(reader, back_writer, cut))
        here = asyncio.create_task(self._replies(back_reader, writer, cut))
        try:
            await asyncio.wait((there, here), return_when=asyncio.FIRST_COMPLETED)
        finally:
            # First what cannot be cancelled.
            back_writer.transport.abort()
            there.cancel()
            here.cancel()
            await asyncio.gather(there, here, return_exceptions=True)

    async def _requests(
        self, client: asyncio.StreamReader, server: asyncio.StreamWriter, cut: asyncio.Event
    ) -> None:
        while data := await client.read(_READ_BYTES):
            await self._hold_when_silent()
            if self._trigger and self._trigger in data:
                self._trigger = b""
                self.cuts += 1
                cut.set()
            server.write(data)

    async def _replies(
        self, server: asyncio.StreamReader, client: asyncio.StreamWriter, cut: asyncio.Event
    ) -> None:
        while data := await server.read(_READ_BYTES):
            await self._hold_when_silent()
            if cut.is_set():
                return  # the server has acted; its answer is lost
            client.write(data)

    async def _hold_when_silent(self) -> None:
        if self._is_silent:
            await asyncio.Event().wait()
