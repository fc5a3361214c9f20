"""What everything that is started and stopped must bear: any order, any number of times."""

import asyncio
import random
from collections.abc import Callable
from typing import Protocol

from tests.support.virtual_time import pass_ticks

from toril.core.errors import AlreadyStartedError

ROUNDS = 10
CALLERS = 50
PATIENCE_S = 15.0


class Service(Protocol):
    """Something that runs until it is stopped."""

    async def run(self) -> None:
        """Run, once."""
        ...

    def drain(self) -> None:
        """Stop when what runs is done."""
        ...

    def stop_now(self) -> None:
        """Stop at once."""
        ...


async def stress(make: Callable[[], Service], *, seed: int) -> None:
    """Ten services, each started and stopped by fifty callers at once, in an order of chance."""
    chance = random.Random(seed)
    for _ in range(ROUNDS):
        service = make()
        calls = [_call(service, chance) for _ in range(CALLERS)]
        async with asyncio.timeout(PATIENCE_S):
            runs = await asyncio.gather(*calls, _run(service), _last(service))
        assert sum(runs) == 1, "exactly one caller may have run it"


async def stop_twice(make: Callable[[], Service]) -> None:
    """Stop it from everywhere, then once more when it is over."""
    service = make()
    async with asyncio.timeout(PATIENCE_S):
        running = asyncio.create_task(service.run())
        await pass_ticks()
        service.drain()
        service.drain()
        service.stop_now()
        await running
        service.stop_now()
        service.drain()


async def stop_before_start(make: Callable[[], Service]) -> None:
    """A service that was stopped first ends as soon as it starts."""
    service = make()
    service.drain()
    async with asyncio.timeout(PATIENCE_S):
        await service.run()


async def _call(service: Service, chance: random.Random) -> bool:
    for _ in range(chance.randrange(20)):
        await pass_ticks()
    match chance.randrange(3):
        case 0:
            return await _run(service)
        case 1:
            service.drain()
        case _:
            service.stop_now()
    return False


async def _run(service: Service) -> bool:
    try:
        await service.run()
    except AlreadyStartedError:
        return False
    return True


async def _last(service: Service) -> bool:
    for _ in range(100):
        await pass_ticks()
    service.drain()
    return False
