"""Objects of the toolkit share a connection, and wait for a server no longer than they say."""

from time import monotonic

import pytest
from tests.support.operations import Bump, Look
from tests.support.proxy import Proxy

from toril.connection import AsyncConnection
from toril.core.errors import (
    BadInputError,
    ClosedError,
    OutcomeUnknownError,
    TorilError,
    UnavailableError,
)
from toril.toolkit._async.client import AsyncClient


async def test_closing_one_of_those_that_share_leaves_the_others_connected(redis_url: str) -> None:
    async with AsyncConnection(redis_url) as connection:
        one = AsyncClient(connection, timeout_ms=1_000)
        other = AsyncClient(connection, timeout_ms=1_000)
        await one.run(Bump("a"))
        await one.close()

        assert await other.run(Bump("a")) == 2

    with pytest.raises(ClosedError):
        await other.run(Bump("a"))


async def test_a_connection_of_its_own_is_closed_with_it(redis_url: str) -> None:
    client = AsyncClient(redis_url, timeout_ms=1_000)
    await client.run(Bump("a"))
    await client.close()

    with pytest.raises(ClosedError):
        await client.run(Bump("a"))


async def test_a_server_that_is_silent_is_waited_for_until_the_deadline(proxy: Proxy) -> None:
    client = AsyncClient(proxy.url, timeout_ms=300)
    await client.run(Look("a"))
    proxy.silence()

    started = monotonic()
    with pytest.raises(OutcomeUnknownError):
        await client.run(Bump("a"))

    assert 0.25 < monotonic() - started < 0.6
    await client.close()


async def test_a_server_that_does_not_let_us_in_is_waited_for_until_the_deadline(
    proxy: Proxy,
) -> None:
    proxy.silence()
    client = AsyncClient(proxy.url, timeout_ms=300)

    started = monotonic()
    [result] = await client.run_all([Bump("a")])

    assert isinstance(result, UnavailableError)
    assert 0.25 < monotonic() - started < 0.6
    await client.close()


async def test_a_call_may_take_less_time_than_others_but_never_more(proxy: Proxy) -> None:
    client = AsyncClient(proxy.url, timeout_ms=300)
    await client.run(Look("a"))
    proxy.silence()

    started = monotonic()
    with pytest.raises(TorilError):
        await client.run(Look("a"), within_ms=100)
    with pytest.raises(TorilError):
        await client.run(Look("a"), within_ms=60_000)

    assert 0.3 < monotonic() - started < 0.8
    await client.close()


async def test_a_target_that_is_none_is_refused() -> None:
    with pytest.raises(BadInputError):
        AsyncClient(42, timeout_ms=1_000)
