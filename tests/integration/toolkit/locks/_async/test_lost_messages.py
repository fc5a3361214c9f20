"""Whatever happens to a request or its answer, no lock is left behind and none is overlooked."""

import threading
from time import monotonic

import pytest
import redis
from tests.support.proxy import Proxy
from tests.support.proxy_rules import Fault, Rule
from tests.support.servers import wait_until

from toril.core.errors import OutcomeUnknownError, UnavailableError
from toril.toolkit import AsyncLock
from toril.toolkit.locks.operations.acquire import ACQUIRE
from toril.toolkit.locks.operations.give_up import GIVE_UP
from toril.toolkit.locks.operations.release import RELEASE
from toril.toolkit.locks.operations.renew import RENEW

KEY = "toril:lk:{a}"
_LINGER_S = 40


@pytest.mark.parametrize("fault", [Fault.LOSE_REPLY, Fault.LOSE_HALF_REPLY, Fault.LOSE_REQUEST])
async def test_what_happens_to_a_message_changes_nothing(proxy: Proxy, fault: Fault) -> None:
    lock = AsyncLock("a", proxy.url, ttl=2)
    async with lock.hold():
        pass
    for script in (ACQUIRE, RENEW, RELEASE):
        proxy.add_rule(Rule(script.sha.encode(), fault, every=2))

    for _ in range(6):
        lease = await lock.acquire(wait=0)
        assert lease is not None, "not acquired, though it was free"
        await lease.extend(2)
        assert await lease.release() is True
        assert await lock.info() is None, "it is held by nobody, and still held"

    assert proxy.cuts >= 6
    await lock.close()


async def test_renewals_get_through_bad_weather(proxy: Proxy) -> None:
    lock = AsyncLock("a", proxy.url, ttl=0.6)
    async with lock.hold() as lease:
        rule = proxy.add_rule(Rule(RENEW.sha.encode(), Fault.LOSE_REPLY, every=2))
        wait_until(lambda: rule.struck >= 4, "renewals were cut")
        lease.check()
    await lock.close()


async def test_an_answer_that_never_comes_leaves_nothing_behind(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    lock = AsyncLock("a", proxy.url, timeout=0.2)
    assert await lock.info() is None
    proxy.hold()
    with pytest.raises(OutcomeUnknownError):
        await lock.acquire(wait=0)
    proxy.speak()

    wait_until(lambda: bool(redis_client.exists(f"{KEY}:x")), "the token is given up", 2)
    assert not redis_client.exists(KEY)
    await lock.close()


async def test_a_release_that_is_not_heard_is_made_good_in_the_background(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    lock = AsyncLock("a", proxy.url, timeout=0.2)
    lease = await lock.acquire()
    assert lease is not None
    proxy.hold()
    with pytest.raises((OutcomeUnknownError, UnavailableError)):
        await lease.release()
    proxy.speak()

    wait_until(lambda: not redis_client.exists(KEY), "it is released", 2)
    await lock.close()


async def test_a_block_is_left_in_peace_when_the_server_cannot_be_told(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    lock = AsyncLock("a", proxy.url, timeout=0.2)
    async with lock.hold():
        proxy.hold()
    proxy.speak()

    wait_until(lambda: not redis_client.exists(KEY), "it is released", 2)
    await lock.close()


async def test_closing_waits_until_the_server_knows_what_was_given_up(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    lock = AsyncLock("a", proxy.url, timeout=0.2)
    assert await lock.info() is None
    proxy.add_rule(Rule(GIVE_UP.sha.encode(), Fault.DELAY, times=1, delay_s=0.3))
    proxy.add_rule(Rule(ACQUIRE.sha.encode(), Fault.KEEP_REQUEST))
    with pytest.raises(OutcomeUnknownError):
        await lock.acquire(wait=0)

    await lock.close()

    assert redis_client.exists(f"{KEY}:x")


@pytest.mark.timeout(60)
async def test_closing_waits_a_second_for_a_server_that_is_silent_and_ends_all(
    proxy: Proxy,
) -> None:
    lock, other = AsyncLock("a", proxy.url, timeout=0.2), AsyncLock("b", proxy.url, timeout=0.2)
    assert await lock.info() is None
    proxy.hold()
    for one in (lock, other):
        with pytest.raises((OutcomeUnknownError, UnavailableError)):
            await one.acquire()

    began = monotonic()
    await lock.close()
    assert monotonic() - began < 3, "it took longer than the second it may"
    await other.close()

    # What other tests have left there lingers for ten seconds; surrenders went on for sixty.
    wait_until(lambda: not background_threads(), "the background is quiet", _LINGER_S)
    proxy.speak()


def background_threads() -> list[str]:
    """Of the toolkit, in this process."""
    return [one.name for one in threading.enumerate() if one.name == "toril toolkit"]


async def test_a_server_that_is_away_is_said_to_be() -> None:
    lock = AsyncLock("a", "redis://127.0.0.1:1", timeout=0.1)
    with pytest.raises(UnavailableError):
        await lock.acquire()
    await lock.close()
