"""A fence lets nobody through whose lease is older than one that was there."""

import pytest
import redis
from tests.support.servers import ValkeyServer

from toril.core.errors import BadInputError
from toril.toolkit import AsyncFence, StaleFenceError


async def test_older_fences_are_refused_and_the_same_one_is_not(
    every_server: ValkeyServer,
) -> None:
    fence = AsyncFence(every_server.url)
    await fence.check("invoice", 1_795_000_000_000_001)
    await fence.check("invoice", 1_795_000_000_000_001)
    await fence.check("invoice", 1_795_000_000_000_002)
    with pytest.raises(StaleFenceError) as caught:
        await fence.check("invoice", 1_795_000_000_000_001)
    await fence.check("another", 1)

    error = caught.value
    assert (error.resource, error.fence, error.newest) == (
        "invoice",
        1_795_000_000_000_001,
        1_795_000_000_000_002,
    )
    await fence.close()


async def test_a_refusal_changes_nothing(redis_url: str, redis_client: redis.Redis) -> None:
    fence = AsyncFence(redis_url, prefix="mine")
    await fence.check("invoice", 2**53 - 1)
    redis_client.pexpire("mine:fe:{invoice}", 10_000)
    with pytest.raises(StaleFenceError):
        await fence.check("invoice", 2**53 - 2)

    assert redis_client.get("mine:fe:{invoice}") == b"%d" % (2**53 - 1)
    assert redis_client.pttl("mine:fe:{invoice}") <= 10_000
    await fence.close()


@pytest.mark.parametrize("number", [0, -1, 2**53, True, 1.5, "7", None])
async def test_a_fence_that_cannot_be_is_refused(number: int) -> None:
    fence = AsyncFence("redis://127.0.0.1:1")
    with pytest.raises(BadInputError):
        await fence.check("invoice", number)
    await fence.close()
