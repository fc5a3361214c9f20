"""Whatever happens to a request or its answer, no lock is left behind and none is overlooked."""  # generated from _async/test_lost_messages.py by tools/generate_sync.py: edit that file

import threading
from time import monotonic

import pytest
import redis
from tests.support.proxy import Proxy
from tests.support.proxy_rules import Fault, Rule
from tests.support.servers import wait_until

from toril.core.errors import OutcomeUnknownError, UnavailableError
from toril.toolkit import Lock
from toril.toolkit.locks.operations.acquire import ACQUIRE
from toril.toolkit.locks.operations.give_up import GIVE_UP
from toril.toolkit.locks.operations.release import RELEASE
from toril.toolkit.locks.operations.renew import RENEW

KEY = "toril:lk:{a}"
_LINGER_S = 40


@pytest.mark.parametrize("fault", [Fault.LOSE_REPLY, Fault.LOSE_HALF_REPLY, Fault.LOSE_REQUEST])
def test_what_happens_to_a_message_changes_nothing(proxy: Proxy, fault: Fault) -> None:
    lock = Lock("a", proxy.url, ttl=2)
    with lock.hold():
        pass
    for script in (ACQUIRE, RENEW, RELEASE):
        proxy.add_rule(Rule(script.sha.encode(), fault, every=2))

    for _ in range(6):
        lease = lock.acquire(wait=0)
        assert lease is not None, "not acquired, though it was free"
        lease.extend(2)
        assert lease.release() is True
        assert lock.info() is None, "it is held by nobody, and still held"

    assert proxy.cuts >= 6
    lock.close()


def test_renewals_get_through_bad_weather(proxy: Proxy) -> None:
    lock = Lock("a", proxy.url, ttl=0.6)
    with lock.hold() as lease:
        rule = proxy.add_rule(Rule(RENEW.sha.encode(), Fault.LOSE_REPLY, every=2))
        wait_until(lambda: rule.struck >= 4, "renewals were cut")
        lease.check()
    lock.close()


def test_an_answer_that_never_comes_leaves_nothing_behind(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    lock = Lock("a", proxy.url, timeout=0.2)
    assert lock.info() is None
    proxy.hold()
    with pytest.raises(OutcomeUnknownError):
        lock.acquire(wait=0)
    proxy.speak()

    wait_until(lambda: bool(redis_client.exists(f"{KEY}:x")), "the token is given up", 2)
    assert not redis_client.exists(KEY)
    lock.close()


def test_a_release_that_is_not_heard_is_made_good_in_the_background(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    lock = Lock("a", proxy.url, timeout=0.2)
    lease = lock.acquire()
    assert lease is not None
    proxy.hold()
    with pytest.raises((OutcomeUnknownError, UnavailableError)):
        lease.release()
    proxy.speak()

    wait_until(lambda: not redis_client.exists(KEY), "it is released", 2)
    lock.close()


def test_a_block_is_left_in_peace_when_the_server_cannot_be_told(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    lock = Lock("a", proxy.url, timeout=0.2)
    with lock.hold():
        proxy.hold()
    proxy.speak()

    wait_until(lambda: not redis_client.exists(KEY), "it is released", 2)
    lock.close()


def test_closing_waits_until_the_server_knows_what_was_given_up(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    lock = Lock("a", proxy.url, timeout=0.2)
    assert lock.info() is None
    proxy.add_rule(Rule(GIVE_UP.sha.encode(), Fault.DELAY, times=1, delay_s=0.3))
    proxy.add_rule(Rule(ACQUIRE.sha.encode(), Fault.KEEP_REQUEST))
    with pytest.raises(OutcomeUnknownError):
        lock.acquire(wait=0)

    lock.close()

    assert redis_client.exists(f"{KEY}:x")


@pytest.mark.timeout(60)
def test_closing_waits_a_second_for_a_server_that_is_silent_and_ends_all(
    proxy: Proxy,
) -> None:
    lock, other = Lock("a", proxy.url, timeout=0.2), Lock("b", proxy.url, timeout=0.2)
    assert lock.info() is None
    proxy.hold()
    for one in (lock, other):
        with pytest.raises((OutcomeUnknownError, UnavailableError)):
            one.acquire()

    began = monotonic()
    lock.close()
    assert monotonic() - began < 3, "it took longer than the second it may"
    other.close()

    # What other tests have left there lingers for ten seconds; surrenders went on for sixty.
    wait_until(lambda: not background_threads(), "the background is quiet", _LINGER_S)
    proxy.speak()


def background_threads() -> list[str]:
    """Of the toolkit, in this process."""
    return [one.name for one in threading.enumerate() if one.name == "toril toolkit"]


def test_a_server_that_is_away_is_said_to_be() -> None:
    lock = Lock("a", "redis://127.0.0.1:1", timeout=0.1)
    with pytest.raises(UnavailableError):
        lock.acquire()
    lock.close()
