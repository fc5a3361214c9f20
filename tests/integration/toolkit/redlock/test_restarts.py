"""A server that was restarted has forgotten who holds what, and has no vote until that is over."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from time import monotonic
from typing import Final

import pytest
from tests.support.event_log import EventLog
from tests.support.proxy import Proxy
from tests.support.servers import ValkeyServer

from toril.core.errors import UnavailableError
from toril.telemetry.toolkit_redlock import QuorumMissed
from toril.toolkit import AsyncRedlock

TTL_S: Final = 1.5
ANSWER_S: Final = 0.3
QUICK: Final = pytest.mark.timeout(75)
LONG: Final = (pytest.mark.long, pytest.mark.timeout(1_060))


@pytest.fixture
def servers() -> Iterator[list[ValkeyServer]]:
    """New ones: these tests restart them."""
    with ExitStack() as stack:
        yield [stack.enter_context(ValkeyServer()) for _ in range(5)]


def redlock(urls: list[str], log: EventLog | None = None) -> AsyncRedlock:
    emitter = (log or EventLog()).emitter
    return AsyncRedlock("a", urls, ttl=TTL_S, renew=False, timeout=ANSWER_S, emitter=emitter)


@pytest.mark.parametrize("rounds", [pytest.param(3, marks=QUICK), pytest.param(200, marks=LONG)])
async def test_a_restarted_server_does_not_help_a_second_holder(
    servers: list[ValkeyServer], rounds: int
) -> None:
    """The first knows three of five; one of these forgets it, and the other two never heard."""
    urls = [server.url for server in servers]
    log = EventLog()
    second = redlock(urls, log)
    assert await second.acquire(20) is not None
    attacked = 0
    for round_ in range(rounds * 5):
        if attacked == rounds:
            break
        with ExitStack() as stack:
            proxies = [stack.enter_context(Proxy(server.port)) for server in servers]
            for proxy in proxies[3:]:
                proxy.hold()
            first = redlock([proxy.url for proxy in proxies])
            lease = await first.acquire(20)
            assert lease is not None
            await asyncio.to_thread(forget_all, servers[round_ % 3])
            newcomer = redlock(urls)
            others = [await second.acquire(0), await newcomer.acquire(0)]
            if lease.remaining():
                attacked += 1
                assert others == [None, None]
            for proxy in proxies:
                proxy.speak()
            for other in (lease, *others):
                if other:
                    with suppress(UnavailableError):  # it cannot tell whether it was held
                        await other.release()
            await first.close()
            await newcomer.close()
    await second.close()

    assert attacked == rounds
    told = [problem for missed in log.of(QuorumMissed) for problem in missed.problems]
    assert any("it was started lately" in problem for problem in told)


def forget_all(server: ValkeyServer) -> None:
    server.kill()
    server.start()


async def test_servers_that_were_started_together_grant_nothing_at_first(
    servers: list[ValkeyServer],
) -> None:
    lock = redlock([server.url for server in servers])
    began = monotonic()

    assert await lock.acquire(0) is None
    lease = await lock.acquire(20)

    assert lease is not None
    # A server says in whole seconds how long it runs.
    assert monotonic() - began > TTL_S - 1.2
    await lease.release()
    await lock.close()
