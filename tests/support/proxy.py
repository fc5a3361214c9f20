"""A TCP proxy that misbehaves on request; optionally the end of a TLS connection.

It runs on a loop and thread of its own, so blocking tests and asyncio tests use it alike.
"""

import asyncio
import ssl
import threading
from collections.abc import Callable, Coroutine
from typing import Final, Self, TypeVar

from tests.support.proxy_rules import Fault, Rule, Weather, reset

T = TypeVar("T")

_TIMEOUT_S: Final = 10.0
_READ_BYTES: Final = 64 * 1024


class Proxy:
    """Forwards `port` to the server's port until told otherwise.

    `add_rule(Rule(trigger, Fault.LOSE_REPLY, every=20))` makes trouble for certain requests,
    `weather` for every byte, and `drop_all()` for every connection.
    """

    def __init__(self, server_port: int, *, tls: ssl.SSLContext | None = None) -> None:
        self.port = 0
        self.weather: Final = Weather()
        self._server_port: Final = server_port
        self._tls: Final = tls
        self._rules: tuple[Rule, ...] = ()
        self._struck_before = 0
        self._loop: Final = asyncio.new_event_loop()
        self._thread: Final = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._pipes: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self._kept: list[bytes] = []

    @property
    def url(self) -> str:
        """The proxied server."""
        return f"redis://127.0.0.1:{self.port}"

    @property
    def cuts(self) -> int:
        """How many requests met with a fault."""
        return self._struck_before + sum(rule.struck for rule in self._rules)

    def add_rule(self, rule: Rule) -> Rule:
        """From now on; of several rules that mean the same request the oldest applies."""
        self._rules = (*self._rules, rule)
        return rule

    def clear_rules(self) -> None:
        """No request is special any more."""
        self._struck_before, self._rules = self.cuts, ()

    def cut_after(self, trigger: bytes) -> None:
        """Once: the next request with these bytes in it reaches the server, its reply nobody."""
        self.add_rule(Rule(trigger, Fault.LOSE_REPLY, times=1))

    def silence(self) -> None:
        """From now on nothing arrives, in either direction, and what is sent is gone."""
        self._call(self._now(self.weather.swallow))

    def hold(self) -> None:
        """From now on nothing arrives until `speak`; then all of it does, late."""
        self._call(self._now(self.weather.hold))

    def speak(self) -> None:
        """Forward again; after a silence on new connections only: on the old bytes are missing."""
        self._call(self._now(self.weather.clear))

    def drop_all(self, *, politely: bool = False) -> None:
        """Break every connection: with RST, or politely with FIN."""
        self._call(self._drop_all(politely=politely))

    def deliver_kept(self) -> list[bytes]:
        """Let the server get now what a rule kept from it; what it answers, which nobody hears."""
        kept, self._kept = self._kept, []
        return [self._call(self._deliver(request)) for request in kept]

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

    async def _now(self, act: Callable[[], None]) -> None:
        act()

    async def _start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _stop(self) -> None:
        assert self._server is not None
        # First let nobody in any more. Whoever was let in just now is served some turns of the
        # loop later, and would be left lying open by a server that is closed before that.
        for listener in self._server.sockets:
            self._loop.remove_reader(listener.fileno())
        for _ in range(20):
            await asyncio.sleep(0)
        self._server.close()
        await self._drop_all(politely=True)

    async def _drop_all(self, *, politely: bool) -> None:
        pipes = tuple(self._pipes)
        for pipe in pipes:
            pipe.cancel("politely" if politely else "at once")
        await asyncio.gather(*pipes, return_exceptions=True)

    async def _deliver(self, request: bytes) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._server_port)
        try:
            writer.write(request)
            return await reader.read(_READ_BYTES)
        finally:
            writer.close()
            await writer.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        pipe = asyncio.current_task()
        assert pipe is not None
        self._pipes.add(pipe)
        try:
            await self._join(reader, writer)
        except asyncio.CancelledError as dropped:
            if dropped.args == ("at once",):
                reset(writer)
        except OSError:
            pass  # one of the ends is gone
        finally:
            self._pipes.discard(pipe)
            writer.transport.abort()

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        back_reader, back_writer = await asyncio.open_connection("127.0.0.1", self._server_port)
        pipe = _Pipe(self.weather, writer, back_writer)
        there = asyncio.create_task(self._requests(reader, pipe))
        here = asyncio.create_task(pipe.replies(back_reader))
        try:
            await asyncio.wait((there, here), return_when=asyncio.FIRST_COMPLETED)
        finally:
            # First what cannot be cancelled.
            back_writer.transport.abort()
            there.cancel()
            here.cancel()
            await asyncio.gather(there, here, return_exceptions=True)

    async def _requests(self, client: asyncio.StreamReader, pipe: "_Pipe") -> None:
        while data := await client.read(_READ_BYTES):
            rule = next((rule for rule in self._rules if rule.strikes(data)), None)
            if rule is not None:
                if rule.fault is Fault.KEEP_REQUEST:
                    self._kept.append(data)
                if rule.fault in {Fault.KEEP_REQUEST, Fault.LOSE_REQUEST}:
                    return
                await asyncio.sleep(rule.delay_s)
                pipe.fault = rule.fault
            await self.weather.pass_on(data, pipe.server)


class _Pipe:
    """One connection through the proxy; `fault` is what the reply under way is to meet with."""

    def __init__(
        self, weather: Weather, client: asyncio.StreamWriter, server: asyncio.StreamWriter
    ) -> None:
        self.fault: Fault | None = None
        self.server: Final = server
        self._client: Final = client
        self._weather: Final = weather

    async def replies(self, server: asyncio.StreamReader) -> None:
        while data := await server.read(_READ_BYTES):
            if self.fault is Fault.LOSE_REPLY:
                return  # the server has acted; its answer is lost
            if self.fault is Fault.LOSE_HALF_REPLY:
                self._client.write(data[: len(data) // 2])
                return
            await self._weather.pass_on(data, self._client)
