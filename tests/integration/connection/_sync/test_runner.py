"""A runner repeats what is safe to repeat, and says so when it cannot know."""  # generated from _async/test_runner.py by tools/generate_sync.py: edit that file

import pytest
import redis
from tests.support.event_log import EventLog
from tests.support.operations import LOOK, Bump, BumpOnce, Look
from tests.support.proxy import Proxy
from tests.support.servers import ValkeyServer

from toril.connection import Runner, Target
from toril.core.errors import (
    ClosedError,
    DeniedError,
    OutcomeUnknownError,
    ScriptError,
    UnavailableError,
)
from toril.telemetry.events import ConnectionLost, ConnectionRestored, ScriptLoaded


def test_a_flushed_script_is_loaded_again(redis_url: str, redis_client: redis.Redis) -> None:
    log = EventLog()
    with Runner(Target.of(redis_url), emitter=log.emitter) as runner:
        runner.run(Bump("a"))
        redis_client.script_flush()
        log.events.clear()

        results = runner.run_all([Bump("a"), Look("a"), Bump("a")])

    assert results == [2, 2, 3]
    assert {event.script for event in log.of(ScriptLoaded)} >= {"bump", "look"}


def test_only_requests_whose_script_was_missing_are_sent_again(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with Runner(Target.of(redis_url)) as runner:
        runner.run(Bump("a"))
        redis_client.script_flush()
        redis_client.script_load(LOOK.source)

        results = runner.run_all([Look("a"), Bump("a"), Look("a")])

    assert results == [1, 2, 1]


def test_one_failure_leaves_its_neighbours_alone(
    redis_url: str, redis_client: redis.Redis
) -> None:
    redis_client.lpush("list", "x")

    with Runner(Target.of(redis_url)) as runner:
        first, failed, last = runner.run_all([Bump("a"), Bump("list"), Bump("a")])

    assert (first, last) == (1, 2)
    assert isinstance(failed, ScriptError)
    assert failed.problem.startswith("WRONGTYPE")


def test_a_lost_reply_of_a_counting_operation_is_an_unknown_outcome(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    with Runner(Target.of(proxy.url)) as runner:
        runner.run(Bump("a"))
        proxy.cut_after(b"EVALSHA")

        with pytest.raises(OutcomeUnknownError, match="bump"):
            runner.run(Bump("a"))

    assert redis_client.get("a") == b"2"


def test_a_lost_reply_of_a_recognised_operation_is_asked_for_again(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    with Runner(Target.of(proxy.url)) as runner:
        runner.run(BumpOnce("a", "first"))
        proxy.cut_after(b"EVALSHA")

        total = runner.run(BumpOnce("a", "second"))

    assert total == 2
    assert redis_client.get("a") == b"2"
    assert proxy.cuts == 1


def test_a_lost_reply_of_a_read_is_asked_for_again(proxy: Proxy) -> None:
    log = EventLog()
    with Runner(Target.of(proxy.url), emitter=log.emitter) as runner:
        runner.run(Look("a"))
        proxy.cut_after(b"EVALSHA")

        assert runner.run(Look("a")) == 0

    assert [event.purpose for event in log.of(ConnectionLost)] == ["calls"]
    assert [event.attempts for event in log.of(ConnectionRestored)] == [1]


def test_a_restarted_server_is_found_again() -> None:
    with ValkeyServer(append_only=True) as server:
        with Runner(Target.of(server.url)) as runner:
            runner.run(Bump("a"))
            server.restart()

            assert runner.run(Bump("a")) == 2


def test_patience_ends_when_the_server_stays_away() -> None:
    with ValkeyServer() as server:
        with Runner(Target.of(server.url), patience_ms=300) as runner:
            runner.run(Bump("a"))
            server.kill()

            with pytest.raises(UnavailableError, match=str(server.port)):
                runner.run(Bump("a"))


def test_a_wrong_password_is_refused_at_once() -> None:
    with ValkeyServer(requirepass="sesame") as server:
        url = server.url.replace("://", "://:canary-secret@")

        with Runner(Target.of(url)) as runner:
            with pytest.raises(DeniedError, match="WRONGPASS") as refusal:
                runner.run(Bump("a"))

    assert "canary-secret" not in str(refusal.value) + repr(refusal.value.__dict__)


def test_a_missing_password_is_refused_at_once() -> None:
    with ValkeyServer(requirepass="sesame") as server:
        with Runner(Target.of(server.url)) as runner:
            with pytest.raises(DeniedError, match="NOAUTH"):
                runner.run(Bump("a"))


def test_the_right_password_opens() -> None:
    with ValkeyServer(requirepass="s:/?#@%") as server:
        url = server.url.replace("://", "://:s%3A%2F%3F%23%40%25@")

        with Runner(Target.of(url)) as runner:
            assert runner.run(Bump("a")) == 1


@pytest.mark.parametrize(
    ("setting", "value", "usual", "code"),
    [("maxmemory", "1", "0", "OOM"), ("min-replicas-to-write", "1", "0", "NOREPLICAS")],
)
def test_a_server_that_cannot_write_now_is_unavailable(
    every_server: ValkeyServer, setting: str, value: str, usual: str, code: str
) -> None:
    client = every_server.client()
    with Runner(Target.of(every_server.url)) as runner:
        runner.run(Bump("a"))
        client.config_set(setting, value)
        try:
            with pytest.raises(UnavailableError, match=code):
                runner.run(Bump("a"))
        finally:
            client.config_set(setting, usual)
            client.close()

        assert runner.run(Bump("a")) == 2


def test_a_key_outside_the_account_is_denied(every_server: ValkeyServer) -> None:
    with every_server.client() as client:
        client.acl_setuser(
            "clerk", enabled=True, passwords=["+pass"], keys=["own:*"], commands=["+@all"]
        )
        url = every_server.url.replace("://", "://clerk:pass@")

        with Runner(Target.of(url)) as runner:
            assert runner.run(Bump("own:a")) == 1
            with pytest.raises(DeniedError):
                runner.run(Bump("foreign"))

        client.acl_deluser("clerk")


def test_a_full_server_is_waited_for() -> None:
    with ValkeyServer(maxclients=1) as server:
        with Runner(Target.of(server.url), patience_ms=100) as runner:
            with server.client() as client:
                client.ping()
                with pytest.raises(UnavailableError, match="max number of clients"):
                    runner.run(Bump("a"))

            assert runner.run(Bump("a")) == 1


def test_a_closed_runner_says_so(redis_url: str) -> None:
    runner = Runner(Target.of(redis_url))
    runner.run(Bump("a"))
    runner.close()

    with pytest.raises(ClosedError):
        runner.run(Bump("a"))
