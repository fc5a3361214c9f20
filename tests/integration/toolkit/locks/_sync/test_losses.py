"""Whoever loses a lock hears of it, in every way there is."""  # generated from _async/test_losses.py by tools/generate_sync.py: edit that file

import pytest
import redis

from toril.core.errors import BadInputError
from toril.toolkit import Lock, LeaseLostError

KEY = "toril:lk:{a}"


def test_whoever_flags_a_loss_goes_on(redis_url: str, redis_client: redis.Redis) -> None:
    lock = Lock("a", redis_url, ttl=0.3, on_lost="flag")
    with lock.hold() as lease:
        redis_client.delete(KEY)
        assert lease.lost.wait(2)

    assert lease.release() is False
    lock.close()


def test_a_block_that_fails_fails_with_its_own_error(
    redis_url: str, redis_client: redis.Redis
) -> None:
    lock = Lock("a", redis_url)

    def fail() -> None:
        with lock.hold():
            redis_client.delete(KEY)
            raise KeyError

    with pytest.raises(KeyError):
        fail()

    assert lock.info() is None
    lock.close()


def test_a_block_that_ends_without_its_lock_says_so(
    redis_url: str, redis_client: redis.Redis
) -> None:
    lock = Lock("a", redis_url)
    with pytest.raises(LeaseLostError, match="the server has it no more"):
        with lock.hold():
            redis_client.set(KEY, "another|1|{}", px=10_000)

    redis_client.delete(KEY)
    with lock.hold() as lease:
        assert lease.release() is True
    lock.close()


@pytest.mark.parametrize("error", [KeyError, SystemExit])
def test_a_listener_that_fails_keeps_no_other_from_hearing(
    redis_url: str, redis_client: redis.Redis, error: type[BaseException]
) -> None:
    def fail(_: object) -> None:
        raise error

    lock, other = Lock("a", redis_url, ttl=0.3), Lock("b", redis_url, ttl=0.3)
    kept = other.acquire()
    lease = lock.acquire()
    assert lease is not None
    assert kept is not None
    heard: list[object] = []
    lease.on_lost(fail)
    lease.on_lost(heard.append)
    redis_client.delete(KEY)
    assert lease.lost.wait(2)
    deadline = kept.deadline

    assert kept.lost.wait(0.5) is False
    assert kept.deadline > deadline
    assert heard == [lease]
    assert kept.release() is True
    lock.close()
    other.close()


def test_a_block_cannot_be_entered_while_it_runs(redis_url: str) -> None:
    lock = Lock("a", redis_url)
    block = lock.hold()
    with block as lease:
        with pytest.raises(BadInputError, match="call it for every block"):
            with block:
                pytest.fail("it is entered already")
        lease.check()
    with block as lease:
        lease.check()
        assert lock.acquire(0) is None

    assert lock.info() is None
    lock.close()
