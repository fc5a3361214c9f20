"""A listener that is to be awaited is awaited, or refused where nobody can."""

import asyncio
from collections.abc import Callable
from functools import partial

import pytest
import redis
from tests.support.servers import wait_until

from toril.core.errors import BadInputError
from toril.toolkit import (
    AsyncLock,
    AsyncMultiLock,
    AsyncSemaphore,
    Lock,
    MultiLock,
    Redlock,
    RWLock,
    Semaphore,
)

NOWHERE = "redis://127.0.0.1:1"


async def hear(lost: object) -> None:
    """What somebody writes who is used to event loops."""


class Ear:
    """The same as an object."""

    async def __call__(self, lost: object) -> None:
        """Hear it."""


@pytest.mark.parametrize(
    ("make", "key"),
    [
        (partial(AsyncLock, "a"), "toril:lk:{a}"),
        (partial(AsyncMultiLock, ["a", "b"]), "toril:lk:{a}"),
        (partial(AsyncSemaphore, "a", permits=1), "toril:sm:{a}"),
    ],
    ids=["lock", "multi lock", "semaphore"],
)
async def test_what_an_async_listener_does_is_awaited(
    redis_url: str, redis_client: redis.Redis, make: Callable[..., AsyncLock], key: str
) -> None:
    heard: asyncio.Queue[object] = asyncio.Queue()

    async def listen(lost: object) -> None:
        await heard.put(lost)

    lock = make(redis_url, ttl=0.3, on_lost=listen)
    lease = await lock.acquire()
    assert lease is not None
    redis_client.delete(key)

    assert await asyncio.wait_for(heard.get(), 2) is lease
    await lock.close()


async def test_an_async_listener_that_fails_is_told_of_and_harms_no_other(
    redis_url: str, redis_client: redis.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    heard: asyncio.Queue[object] = asyncio.Queue()

    async def fail(lost: object) -> None:
        await heard.put(lost)
        raise SystemExit

    lock = AsyncLock("a", redis_url, ttl=0.3)
    lease = await lock.acquire()
    assert lease is not None
    lease.on_lost(fail)
    lease.on_lost(heard.put)
    redis_client.delete("toril:lk:{a}")

    assert {await asyncio.wait_for(heard.get(), 2) for _ in range(2)} == {lease}
    await lock.close()
    assert "a listener failed when 'a' was lost" in caplog.text


@pytest.mark.parametrize("listener", [hear, partial(hear), Ear()], ids=["def", "partial", "object"])
@pytest.mark.parametrize(
    "make",
    [
        partial(Lock, "a", NOWHERE),
        partial(MultiLock, ["a", "b"], NOWHERE),
        partial(Semaphore, "a", NOWHERE, permits=1),
        partial(RWLock, "a", NOWHERE),
        partial(Redlock, "a", [NOWHERE, "redis://127.0.0.1:2", "redis://127.0.0.1:3"]),
    ],
    ids=["lock", "multi lock", "semaphore", "rwlock", "redlock"],
)
def test_an_async_listener_is_refused_where_nobody_would_await_it(
    make: Callable[..., object], listener: object
) -> None:
    with pytest.raises(BadInputError) as caught:
        make(on_lost=listener)

    assert caught.value.field == "on_lost"


def test_a_blocking_lease_refuses_it_too_and_tells_of_a_coroutine_in_disguise(
    redis_url: str, redis_client: redis.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    lock = Lock("a", redis_url, ttl=0.3)
    lease = lock.acquire()
    assert lease is not None
    with pytest.raises(BadInputError):
        lease.on_lost(hear)
    lease.on_lost(lambda lost: hear(lost))  # noqa: PLW0108 - not to be recognised
    redis_client.delete("toril:lk:{a}")

    wait_until(lambda: "a listener failed when 'a' was lost" in caplog.text, "it is told of")
    lock.close()
