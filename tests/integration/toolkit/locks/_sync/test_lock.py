"""A lock is held by one lease at a time, for as long as it says, and with a fence that grows."""  # generated from _async/test_lock.py by tools/generate_sync.py: edit that file

from time import monotonic

import pytest
import redis
from tests.support.event_log import EventLog
from tests.support.proxy import Proxy
from tests.support.servers import ValkeyServer, wait_until

from toril.connection import Connection
from toril.core.errors import ClosedError
from toril.telemetry.toolkit_leases import (
    LeaseAcquired,
    LeaseBroken,
    LeaseContended,
    LeaseGone,
    LeaseReleased,
    LeaseRenewed,
)
from toril.toolkit import Lock, LeaseLostError, LockTimeoutError

KEY = "toril:lk:{a}"


def test_one_lease_at_a_time_holds_it(every_server: ValkeyServer) -> None:
    lock, other = Lock("a", every_server.url), Lock("a", every_server.url)

    lease = lock.acquire()
    assert lease is not None
    lease.check()
    assert other.acquire(wait=0) is None
    assert lock.acquire(wait=0) is None
    assert lease.release() is True
    again = other.acquire(wait=0)
    assert again is not None
    assert again.fence > lease.fence
    assert again.token != lease.token

    again.release()
    lock.close()
    other.close()


def test_a_lease_that_was_released_is_over(redis_url: str) -> None:
    lock = Lock("a", redis_url)
    lease = lock.acquire()
    assert lease is not None
    assert 29 < lease.remaining() < 30
    assert lease.deadline > monotonic()
    lease.release()

    assert lease.release() is False
    assert lease.remaining() == 0
    assert not lease.lost.is_set()
    with pytest.raises(LeaseLostError, match="it was released"):
        lease.check()
    with pytest.raises(LeaseLostError):
        lease.extend(10)
    lock.close()


def test_names_do_not_share_a_lock_and_neither_do_prefixes(redis_url: str) -> None:
    with Connection(redis_url) as connection:
        locks = [
            Lock("a", connection),
            Lock("b", connection),
            Lock("a", connection, prefix="mine"),
            Lock("a:f", connection),
        ]
        leases = [lock.acquire(wait=0) for lock in locks]

        assert all(leases)
        for lease in leases:
            assert lease is not None
            lease.release()


def test_others_wait_no_longer_than_they_say(redis_url: str) -> None:
    lock = Lock("a", redis_url, wait=0.2)
    with lock.hold() as lease:
        began = monotonic()
        assert lock.acquire() is None
        assert 0.19 < monotonic() - began < 1
        with pytest.raises(LockTimeoutError) as caught:
            with lock.hold(wait=0.05):
                pytest.fail("it is held by another")
        lease.check()

    assert (caught.value.kind, caught.value.name, caught.value.wait_ms) == ("lock", "a", 50)
    lock.close()


def test_it_outlives_its_ttl_while_its_holder_does(redis_url: str) -> None:
    log = EventLog()
    lock = Lock("a", redis_url, ttl=0.15, emitter=log.emitter)
    with lock.hold() as lease:
        other = Lock("a", redis_url)
        assert other.acquire(wait=0.5) is None
        lease.check()
        other.close()

    assert len(log.of(LeaseRenewed)) >= 3
    lock.close()


def test_without_renewals_it_ends_and_says_so(redis_url: str) -> None:
    log = EventLog()
    lock = Lock("a", redis_url, ttl=0.1, renew=False, emitter=log.emitter)
    lease = lock.acquire()
    assert lease is not None

    assert lease.lost.wait(5)
    assert monotonic() - lease.deadline < 0.1
    with pytest.raises(LeaseLostError, match="it was not renewed in time"):
        lease.check()
    assert lease.release() is False
    assert [event.why for event in log.of(LeaseGone)] == ["it was not renewed in time"]
    lock.close()


def test_it_is_held_no_longer_than_may_be(redis_url: str) -> None:
    lock = Lock("a", redis_url, ttl=0.1, max_hold=0.35)
    began = monotonic()
    lease = lock.acquire()
    assert lease is not None
    lease.extend(60)

    assert lease.lost.wait(5)
    assert 0.3 < monotonic() - began < 0.5
    with pytest.raises(LeaseLostError, match="it was held for as long as may be"):
        lease.check()
    other = lock.acquire(wait=1)
    assert other is not None
    other.release()
    lock.close()


def test_it_can_be_extended_and_never_shortened(
    redis_url: str, redis_client: redis.Redis
) -> None:
    lock = Lock("a", redis_url, ttl=10)
    lease = lock.acquire()
    assert lease is not None

    lease.extend(60)
    assert 58 < lease.remaining() < 60
    assert 58_000 < redis_client.pttl(KEY) <= 60_000
    lease.extend(1)
    assert lease.remaining() > 58
    assert redis_client.pttl(KEY) > 58_000

    lease.release()
    lock.close()


def test_a_lock_that_is_taken_away_is_missed_at_the_next_renewal(
    redis_url: str, redis_client: redis.Redis
) -> None:
    told = []
    lock = Lock("a", redis_url, ttl=0.6, on_lost=told.append)
    lease = lock.acquire()
    assert lease is not None
    redis_client.delete(KEY)

    assert lease.lost.wait(0.6 / 3 + 0.15)
    with pytest.raises(LeaseLostError, match="the server has it no more"):
        lease.check()
    for _ in range(20):
        lock.info()  # which lets the loop turn
    assert told == [lease]
    lock.close()


def test_extending_what_was_taken_away_is_refused(
    redis_url: str, redis_client: redis.Redis
) -> None:
    lock = Lock("a", redis_url)
    lease = lock.acquire()
    assert lease is not None
    redis_client.delete(KEY)

    with pytest.raises(LeaseLostError):
        lease.extend(30)
    assert lease.lost.is_set()
    assert lease.release() is False
    lock.close()


def test_releasing_what_another_has_by_now_leaves_it_alone(
    redis_url: str, redis_client: redis.Redis
) -> None:
    lock, other = Lock("a", redis_url), Lock("a", redis_url)
    lease = lock.acquire()
    redis_client.delete(KEY)
    its = other.acquire(wait=0)
    assert lease is not None
    assert its is not None

    assert lease.release() is False
    assert lock.acquire(wait=0) is None
    its.release()
    lock.close()
    other.close()


def test_a_server_that_is_silent_loses_it_before_the_key_can_end(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    lock = Lock("a", proxy.url, ttl=0.5, timeout=0.2)
    lease = lock.acquire()
    assert lease is not None
    proxy.hold()

    assert lease.lost.wait(5)
    assert lease.deadline <= monotonic() < lease.deadline + 0.15
    with pytest.raises(LeaseLostError, match="it was not renewed in time"):
        lease.check()
    lock.close()
    proxy.speak()
    wait_until(lambda: not redis_client.exists(KEY), "what was left in the air has arrived")


def test_people_see_who_holds_it(redis_url: str) -> None:
    lock = Lock("a", redis_url, label="nightly | {report}")
    assert lock.info() is None
    with lock.hold() as lease:
        info = lock.info()

    assert info is not None
    assert info.label == "nightly | {report}"
    assert info.fence == lease.fence
    assert info.pid > 0
    assert info.host
    assert 29_000 < info.ttl_ms <= 30_000
    assert info.waiters == 0
    assert lock.info() is None
    lock.close()


def test_an_operator_breaks_it(redis_url: str) -> None:
    log = EventLog()
    lock = Lock("a", redis_url, ttl=0.3, emitter=log.emitter)
    assert lock.break_() is False
    lease = lock.acquire()
    assert lease is not None

    assert lock.break_() is True
    assert lock.info() is None
    assert lease.lost.wait(2)
    assert len(log.of(LeaseBroken)) == 1
    lock.close()


def test_fences_grow_through_expiry_deletion_and_flush(
    redis_url: str, redis_client: redis.Redis
) -> None:
    lock = Lock("a", redis_url)
    fences = []
    for turn in range(300):
        lease = lock.acquire(wait=1)
        assert lease is not None
        fences.append(lease.fence)
        if turn % 100 == 40:
            redis_client.flushall()
        elif turn % 100 == 80:
            redis_client.pexpire(KEY, 1)
        else:
            lease.release()

    assert fences == sorted(set(fences))
    assert fences[-1] < 2**53
    lock.close()


def test_a_fence_from_the_future_is_still_passed(
    redis_url: str, redis_client: redis.Redis
) -> None:
    ahead = 2**52
    redis_client.set(f"{KEY}:f", ahead)
    lock = Lock("a", redis_url)
    with lock.hold() as first:
        pass
    with lock.hold() as second:
        pass

    assert (first.fence, second.fence) == (ahead + 1, ahead + 2)
    lock.close()


def test_nothing_is_acquired_through_a_lock_that_is_closed(redis_url: str) -> None:
    lock = Lock("a", redis_url)
    lock.close()
    with pytest.raises(ClosedError):
        lock.acquire()


def test_closing_a_lock_ends_its_waiting_though_its_connection_is_shared(
    redis_url: str,
) -> None:
    with Connection(redis_url) as connection:
        lock, holder = Lock("a", connection), Lock("a", connection)
        with holder.hold():
            lock.close()
            with pytest.raises(ClosedError, match="'a' is closed"):
                lock.acquire(5)

        assert holder.acquire(0) is not None


def test_closing_a_lock_renews_its_leases_no_more(redis_url: str) -> None:
    with Connection(redis_url) as connection:
        lock = Lock("a", connection, ttl=0.2)
        lease = lock.acquire()
        lock.close()
        assert lease is not None

        assert lease.lost.wait(2)


def test_every_key_has_an_end(redis_url: str, redis_client: redis.Redis) -> None:
    lock = Lock("a", redis_url, fair=True)
    with lock.hold():
        assert lock.acquire(wait=0.05) is None
        keys = list(redis_client.scan_iter("*"))

        assert KEY.encode() in keys
        assert all(redis_client.pttl(key) != -1 for key in keys)
    lock.close()


def test_what_happens_is_told(redis_url: str) -> None:
    log = EventLog()
    lock = Lock("a", redis_url, emitter=log.emitter)
    with lock.hold():
        assert lock.acquire(wait=0.01) is None

    told = [event for event in log.events if type(event).__module__.endswith("toolkit_leases")]
    assert [type(event) for event in told] == [LeaseAcquired, LeaseContended, LeaseReleased]
    assert {(event.kind, event.subject) for event in told} == {("lock", "a")}
    lock.close()
