"""A push line hears what the server says, and says when it may have missed something."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

import pytest
import redis
from tests.support.event_log import EventLog
from tests.support.proxy import Proxy
from tests.support.servers import ValkeyServer

from toril.connection import Target
from toril.connection.push_line import PushLine
from toril.core.operation import Argument, Reply
from toril.telemetry.events import ConnectionLost, ConnectionRestored


class Ears:
    """Follows some channels, or the keys with a prefix, and keeps what it hears."""

    def __init__(self, *commands: Sequence[Argument]) -> None:
        self._commands = commands
        self.news: asyncio.Queue[list[Reply]] = asyncio.Queue()
        self.openings: asyncio.Queue[str] = asyncio.Queue()

    def opening(self) -> Sequence[Sequence[Argument]]:
        return self._commands

    def opened(self) -> None:
        self.openings.put_nowait("opened")

    def heard(self, news: list[Reply]) -> None:
        self.news.put_nowait(news)

    def lost(self) -> None:
        self.openings.put_nowait("lost")


@asynccontextmanager
async def listening(url: str, ears: Ears, log: EventLog | None = None) -> AsyncIterator[PushLine]:
    line = PushLine(
        Target.of(url),
        key="x",
        purpose="news",
        listener=ears,
        emitter=log.emitter if log else None,
    )
    task = asyncio.create_task(line.run())
    try:
        assert await asyncio.wait_for(ears.openings.get(), 5) == "opened"
        yield line
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


TRACKING = ("CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", "c:")


async def test_it_hears_of_keys_that_change(every_server: ValkeyServer) -> None:
    ears = Ears(TRACKING)
    async with listening(every_server.url, ears):
        with every_server.client() as client:
            client.set("c:1", "x")
            client.set("d:1", "x")
            client.set("c:2", "x")
            first = await asyncio.wait_for(ears.news.get(), 5)
            second = await asyncio.wait_for(ears.news.get(), 5)

    assert [first, second] == [[b"invalidate", [b"c:1"]], [b"invalidate", [b"c:2"]]]


async def test_it_hears_channels_that_are_added_later(every_server: ValkeyServer) -> None:
    ears = Ears()
    async with listening(every_server.url, ears) as line:
        line.tell("SUBSCRIBE", "wake")
        confirmed = await asyncio.wait_for(ears.news.get(), 5)
        with every_server.client() as client:
            client.publish("wake", "you")
        message = await asyncio.wait_for(ears.news.get(), 5)

    assert confirmed == [b"subscribe", b"wake", 1]
    assert message == [b"message", b"wake", b"you"]


async def test_a_connection_that_is_cut_is_told_and_made_again(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    ears, log = Ears(TRACKING), EventLog()
    async with listening(proxy.url, ears, log):
        proxy.drop_all()
        assert await asyncio.wait_for(ears.openings.get(), 5) == "lost"
        assert await asyncio.wait_for(ears.openings.get(), 5) == "opened"
        redis_client.set("c:1", "x")
        news = await asyncio.wait_for(ears.news.get(), 5)

    assert news == [b"invalidate", [b"c:1"]]
    assert [event.purpose for event in log.of(ConnectionLost)] == ["news"]
    assert [event.purpose for event in log.of(ConnectionRestored)] == ["news"]


async def test_silence_is_told_within_three_seconds(proxy: Proxy) -> None:
    ears = Ears(TRACKING)
    async with listening(proxy.url, ears):
        proxy.silence()
        assert await asyncio.wait_for(ears.openings.get(), 4) == "lost"


async def test_a_command_that_is_refused_keeps_the_line_trying(
    every_server: ValkeyServer,
) -> None:
    ears, log = Ears(("CLIENT", "TRACKING", "SIDEWAYS")), EventLog()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.5), listening(every_server.url, ears, log):
            pass

    [lost] = log.of(ConnectionLost)
    assert "syntax error" in lost.problem
