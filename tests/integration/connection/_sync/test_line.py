"""A line sends once, reconnects at the next call, and never waits for a server that is gone."""  # generated from _async/test_line.py by tools/generate_sync.py: edit that file

from time import monotonic

import pytest
import redis
from tests.support.event_log import EventLog
from tests.support.operations import Bump, Look, Pop
from tests.support.proxy import Proxy
from tests.support.servers import ValkeyServer

from toril.connection import Line, Target
from toril.core.errors import ClosedError, OutcomeUnknownError, ScriptError, UnavailableError
from toril.telemetry.events import ConnectionLost, ConnectionRestored


def test_a_line_reads_what_came_while_it_waited(
    redis_url: str, redis_client: redis.Redis
) -> None:
    redis_client.zadd("ring", {"now": 0})

    with Line(Target.of(redis_url), key="a", purpose="test") as line:
        member, then = line.read(Pop("ring", block_ms=1_000), [Bump("a"), Look("a")])

    assert member == b"now"
    assert then == [1, 1]


def test_a_refused_wait_does_not_hide_what_ran_behind_it(
    redis_url: str, redis_client: redis.Redis
) -> None:
    redis_client.lpush("list", "x")

    with Line(Target.of(redis_url), key="a", purpose="test") as line:
        refused, then = line.read(Pop("list", block_ms=1_000), [Bump("a")])

    assert isinstance(refused, ScriptError)
    assert then == [1]


def test_a_silent_server_ends_the_wait_soon_after_its_time(proxy: Proxy) -> None:
    with Line(Target.of(proxy.url), key="a", purpose="test") as line:
        line.run_all([Bump("a")])
        proxy.silence()
        began = monotonic()

        with pytest.raises(OutcomeUnknownError, match="BZPOPMIN"):
            line.read(Pop("ring", block_ms=100))

        assert monotonic() - began < 3
        proxy.speak()
        assert line.run_all([Bump("a")]) == [2]


def test_a_silent_server_ends_a_call_within_its_timeout(proxy: Proxy) -> None:
    target = Target.of(f"{proxy.url}?timeout=0.2")

    with Line(target, key="a", purpose="test") as line:
        line.run_all([Look("a")])
        proxy.silence()

        with pytest.raises(OutcomeUnknownError, match="look"):
            line.run_all([Look("a")])


def test_a_line_never_sends_twice(proxy: Proxy, redis_client: redis.Redis) -> None:
    log = EventLog()
    target = Target.of(proxy.url)
    with Line(target, key="a", purpose="test", emitter=log.emitter) as line:
        line.run_all([Bump("a")])
        proxy.cut_after(b"EVALSHA")

        with pytest.raises(OutcomeUnknownError, match="bump"):
            line.run_all([Bump("a"), Look("a")])

        assert redis_client.get("a") == b"2"
        assert line.run_all([Bump("a")]) == [3]

    assert [event.purpose for event in log.of(ConnectionLost)] == ["test"]
    assert [event.attempts for event in log.of(ConnectionRestored)] == [1]


def test_a_line_goes_on_after_a_restart() -> None:
    with ValkeyServer(append_only=True) as server:
        with Line(Target.of(server.url), key="a", purpose="test") as line:
            line.run_all([Bump("a")])
            server.kill()
            with pytest.raises((UnavailableError, OutcomeUnknownError)):
                line.run_all([Bump("a")])
            for _ in range(3):
                with pytest.raises(UnavailableError, match="refused"):
                    line.run_all([Bump("a")])
            server.start()

            assert line.run_all([Bump("a")]) == [2]


def test_an_aborted_line_connects_again(redis_url: str) -> None:
    with Line(Target.of(redis_url), key="a", purpose="test") as line:
        line.run_all([Bump("a")])
        line.abort()

        assert line.run_all([Bump("a")]) == [2]


def test_a_closed_line_stays_closed(redis_url: str) -> None:
    line = Line(Target.of(redis_url), key="a", purpose="test")
    line.run_all([Bump("a")])
    line.close()

    with pytest.raises(ClosedError, match="test"):
        line.run_all([Bump("a")])


def test_closing_needs_no_network(proxy: Proxy) -> None:
    line = Line(Target.of(proxy.url), key="a", purpose="test")
    line.run_all([Bump("a")])
    proxy.silence()
    began = monotonic()

    line.close()

    assert monotonic() - began < 0.5


def test_a_connection_carries_its_name(redis_url: str, redis_client: redis.Redis) -> None:
    target = Target.of(redis_url)
    with Line(target, key="a", purpose="test", client_name="bull:bWFpbA==") as line:
        line.run_all([Bump("a")])

        [client] = [c for c in redis_client.client_list() if c["name"] == "bull:bWFpbA=="]

    assert client["lib-name"] == "toril"
