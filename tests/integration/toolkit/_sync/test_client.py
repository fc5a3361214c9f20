"""Objects of the toolkit share a connection, and wait for a server no longer than they say."""  # generated from _async/test_client.py by tools/generate_sync.py: edit that file

from time import monotonic

import pytest
from tests.support.operations import Bump, Look
from tests.support.proxy import Proxy

from toril.connection import Connection
from toril.core.errors import (
    BadInputError,
    ClosedError,
    OutcomeUnknownError,
    TorilError,
    UnavailableError,
)
from toril.toolkit._sync.client import Client


def test_closing_one_of_those_that_share_leaves_the_others_connected(redis_url: str) -> None:
    with Connection(redis_url) as connection:
        one = Client(connection, timeout_ms=1_000)
        other = Client(connection, timeout_ms=1_000)
        one.run(Bump("a"))
        one.close()

        assert other.run(Bump("a")) == 2

    with pytest.raises(ClosedError):
        other.run(Bump("a"))


def test_a_connection_of_its_own_is_closed_with_it(redis_url: str) -> None:
    client = Client(redis_url, timeout_ms=1_000)
    client.run(Bump("a"))
    client.close()

    with pytest.raises(ClosedError):
        client.run(Bump("a"))


def test_a_server_that_is_silent_is_waited_for_until_the_deadline(proxy: Proxy) -> None:
    client = Client(proxy.url, timeout_ms=300)
    client.run(Look("a"))
    proxy.silence()

    started = monotonic()
    with pytest.raises(OutcomeUnknownError):
        client.run(Bump("a"))

    assert 0.25 < monotonic() - started < 0.6
    client.close()


def test_a_server_that_does_not_let_us_in_is_waited_for_until_the_deadline(
    proxy: Proxy,
) -> None:
    proxy.silence()
    client = Client(proxy.url, timeout_ms=300)

    started = monotonic()
    [result] = client.run_all([Bump("a")])

    assert isinstance(result, UnavailableError)
    assert 0.25 < monotonic() - started < 0.6
    client.close()


def test_a_call_may_take_less_time_than_others_but_never_more(proxy: Proxy) -> None:
    client = Client(proxy.url, timeout_ms=300)
    client.run(Look("a"))
    proxy.silence()

    started = monotonic()
    with pytest.raises(TorilError):
        client.run(Look("a"), within_ms=100)
    with pytest.raises(TorilError):
        client.run(Look("a"), within_ms=60_000)

    assert 0.3 < monotonic() - started < 0.8
    client.close()


def test_a_target_that_is_none_is_refused() -> None:
    with pytest.raises(BadInputError):
        Client(42, timeout_ms=1_000)
