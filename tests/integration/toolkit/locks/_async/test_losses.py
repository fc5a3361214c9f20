"""Whoever loses a lock hears of it, in every way there is."""

import pytest
import redis

from toril.core.errors import BadInputError
from toril.toolkit import AsyncLock, LeaseLostError

KEY = "toril:lk:{a}"


async def test_whoever_flags_a_loss_goes_on(redis_url: str, redis_client: redis.Redis) -> None:
    lock = AsyncLock("a", redis_url, ttl=0.3, on_lost="flag")
    async with lock.hold() as lease:
        redis_client.delete(KEY)
        assert await lease.lost.wait(2)

    assert await lease.release() is False
    await lock.close()


async def test_a_block_that_fails_fails_with_its_own_error(
    redis_url: str, redis_client: redis.Redis
) -> None:
    lock = AsyncLock("a", redis_url)

    async def fail() -> None:
        async with lock.hold():
            redis_client.delete(KEY)
            raise KeyError

    with pytest.raises(KeyError):
        await fail()

    assert await lock.info() is None
    await lock.close()


async def test_a_block_that_ends_without_its_lock_says_so(
    redis_url: str, redis_client: redis.Redis
) -> None:
    lock = AsyncLock("a", redis_url)
    with pytest.raises(LeaseLostError, match="the server has it no more"):
        async with lock.hold():
            redis_client.set(KEY, "another|1|{}", px=10_000)

    redis_client.delete(KEY)
    async with lock.hold() as lease:
        assert await lease.release() is True
    await lock.close()


@pytest.mark.parametrize("error", [KeyError, SystemExit])
async def test_a_listener_that_fails_keeps_no_other_from_hearing(
    redis_url: str, redis_client: redis.Redis, error: type[BaseException]
) -> None:
    def fail(_: object) -> None:
        raise error

    lock, other = AsyncLock("a", redis_url, ttl=0.3), AsyncLock("b", redis_url, ttl=0.3)
    kept = await other.acquire()
    lease = await lock.acquire()
    assert lease is not None
    assert kept is not None
    heard: list[object] = []
    lease.on_lost(fail)
    lease.on_lost(heard.append)
    redis_client.delete(KEY)
    assert await lease.lost.wait(2)
    deadline = kept.deadline

    assert await kept.lost.wait(0.5) is False
    assert kept.deadline > deadline
    assert heard == [lease]
    assert await kept.release() is True
    await lock.close()
    await other.close()


async def test_a_block_cannot_be_entered_while_it_runs(redis_url: str) -> None:
    lock = AsyncLock("a", redis_url)
    block = lock.hold()
    async with block as lease:
        with pytest.raises(BadInputError, match="call it for every block"):
            async with block:
                pytest.fail("it is entered already")
        lease.check()
    async with block as lease:
        lease.check()
        assert await lock.acquire(0) is None

    assert await lock.info() is None
    await lock.close()
