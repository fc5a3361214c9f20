"""Functions run under a lock whose name is made of their arguments."""

from threading import Barrier, Thread

import pytest
import redis

from toril.connection import AsyncConnection, Connection
from toril.core.errors import BadInputError
from toril.toolkit import AsyncLock, Lock, LockTimeoutError, locked


def held(client: redis.Redis) -> list[str]:
    return sorted(key.decode() for key in client.scan_iter("toril:lk:*}"))


async def test_a_coroutine_function_runs_under_it(
    redis_url: str, redis_client: redis.Redis
) -> None:
    class Order:
        id = 7

    async with AsyncConnection(redis_url) as connection:

        @locked("order:{order.id}:{kind}", connection, wait=0)
        async def ship(order: Order, *, kind: str = "parcel") -> list[str]:
            """Ship it."""
            with pytest.raises(LockTimeoutError):
                await ship(order, kind=kind)
            return held(redis_client)

        assert await ship(Order()) == ["toril:lk:{order:7:parcel}"]
        assert await ship(Order(), kind="letter") == ["toril:lk:{order:7:letter}"]
        assert ship.__doc__ == "Ship it."
    assert held(redis_client) == []


def test_a_function_runs_under_it(redis_url: str, redis_client: redis.Redis) -> None:
    with Connection(redis_url) as connection:

        @locked("order:{order_id}", connection)
        def ship(order_id: int) -> tuple[int, list[str]]:
            return order_id, held(redis_client)

        assert ship(8) == (8, ["toril:lk:{order:8}"])
        assert ship(order_id=9) == (9, ["toril:lk:{order:9}"])
    assert held(redis_client) == []


async def test_a_lock_guards_functions(redis_url: str, redis_client: redis.Redis) -> None:
    lock = AsyncLock("a", redis_url)

    @lock.guarded
    async def work(number: int) -> tuple[int, list[str]]:
        return number, held(redis_client)

    assert await work(3) == (3, ["toril:lk:{a}"])
    assert held(redis_client) == []
    await lock.close()


def test_a_blocking_lock_guards_functions(redis_url: str) -> None:
    lock = Lock("a", redis_url)
    running = 0
    most = 0
    start = Barrier(4)

    @lock.guarded
    def work() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        running -= 1

    def thread() -> None:
        start.wait()
        for _ in range(20):
            work()

    threads = [Thread(target=thread) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()

    assert most == 1
    lock.close()


def test_a_name_that_asks_for_what_is_not_there_is_refused() -> None:
    with pytest.raises(BadInputError, match="no such argument"):

        @locked("order:{id}")
        def ship(order_id: int) -> None: ...


def test_a_generator_is_refused() -> None:
    with pytest.raises(BadInputError, match="generator"):

        @locked("a")
        def stream() -> object:
            yield 1
