"""A line sends once, reconnects at the next call, and never waits for a server that is gone."""

from time import monotonic

import pytest
import redis
from tests.support.event_log import EventLog
from tests.support.operations import Bump, Look, Pop
from tests.support.proxy import Proxy
from tests.support.servers import ValkeyServer

from toril.connection import AsyncLine, Target
from toril.core.errors import ClosedError, OutcomeUnknownError, ScriptError, UnavailableError
from toril.telemetry.events import ConnectionLost, ConnectionRestored


async def test_a_line_reads_what_came_while_it_waited(
    redis_url: str, redis_client: redis.Redis
) -> None:
    redis_client.zadd("ring", {"now": 0})

    async with AsyncLine(Target.of(redis_url), key="a", purpose="test") as line:
        member, then = await line.read(Pop("ring", block_ms=1_000), [Bump("a"), Look("a")])

    assert member == b"now"
    assert then == [1, 1]


async def test_a_refused_wait_does_not_hide_what_ran_behind_it(
    redis_url: str, redis_client: redis.Redis
) -> None:
    redis_client.lpush("list", "x")

    async with AsyncLine(Target.of(redis_url), key="a", purpose="test") as line:
        refused, then = await line.read(Pop("list", block_ms=1_000), [Bump("a")])

    assert isinstance(refused, ScriptError)
    assert then == [1]


async def test_a_silent_server_ends_the_wait_soon_after_its_time(proxy: Proxy) -> None:
    async with AsyncLine(Target.of(proxy.url), key="a", purpose="test") as line:
        await line.run_all([Bump("a")])
        proxy.silence()
        began = monotonic()

        with pytest.raises(OutcomeUnknownError, match="BZPOPMIN"):
            await line.read(Pop("ring", block_ms=100))

        assert monotonic() - began < 3
        proxy.speak()
        assert await line.run_all([Bump("a")]) == [2]


async def test_a_silent_server_ends_a_call_within_its_timeout(proxy: Proxy) -> None:
    target = Target.of(f"{proxy.url}?timeout=0.2")

    async with AsyncLine(target, key="a", purpose="test") as line:
        await line.run_all([Look("a")])
        proxy.silence()

        with pytest.raises(OutcomeUnknownError, match="look"):
            await line.run_all([Look("a")])


async def test_a_line_never_sends_twice(proxy: Proxy, redis_client: redis.Redis) -> None:
    log = EventLog()
    target = Target.of(proxy.url)
    async with AsyncLine(target, key="a", purpose="test", emitter=log.emitter) as line:
        await line.run_all([Bump("a")])
        proxy.cut_after(b"EVALSHA")

        with pytest.raises(OutcomeUnknownError, match="bump"):
            await line.run_all([Bump("a"), Look("a")])

        assert redis_client.get("a") == b"2"
        assert await line.run_all([Bump("a")]) == [3]

    assert [event.purpose for event in log.of(ConnectionLost)] == ["test"]
    assert [event.attempts for event in log.of(ConnectionRestored)] == [1]


async def test_a_line_goes_on_after_a_restart() -> None:
    with ValkeyServer(append_only=True) as server:
        async with AsyncLine(Target.of(server.url), key="a", purpose="test") as line:
            await line.run_all([Bump("a")])
            server.kill()
            with pytest.raises((UnavailableError, OutcomeUnknownError)):
                await line.run_all([Bump("a")])
            for _ in range(3):
                with pytest.raises(UnavailableError, match="refused"):
                    await line.run_all([Bump("a")])
            server.start()

            assert await line.run_all([Bump("a")]) == [2]


async def test_an_aborted_line_connects_again(redis_url: str) -> None:
    async with AsyncLine(Target.of(redis_url), key="a", purpose="test") as line:
        await line.run_all([Bump("a")])
        line.abort()

        assert await line.run_all([Bump("a")]) == [2]


async def test_a_closed_line_stays_closed(redis_url: str) -> None:
    line = AsyncLine(Target.of(redis_url), key="a", purpose="test")
    await line.run_all([Bump("a")])
    await line.close()

    with pytest.raises(ClosedError, match="test"):
        await line.run_all([Bump("a")])


async def test_closing_needs_no_network(proxy: Proxy) -> None:
    line = AsyncLine(Target.of(proxy.url), key="a", purpose="test")
    await line.run_all([Bump("a")])
    proxy.silence()
    began = monotonic()

    await line.close()

    assert monotonic() - began < 0.5


async def test_a_connection_carries_its_name(redis_url: str, redis_client: redis.Redis) -> None:
    target = Target.of(redis_url)
    async with AsyncLine(target, key="a", purpose="test", client_name="bull:bWFpbA==") as line:
        await line.run_all([Bump("a")])

        [client] = [c for c in redis_client.client_list() if c["name"] == "bull:bWFpbA=="]

    assert client["lib-name"] == "toril"
