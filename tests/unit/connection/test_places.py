"""A place is taken, left, handed on, and never lost: not by giving up, not by being cancelled."""

import asyncio
import math
import threading

import pytest
from tests.support.turns import turns

from toril.connection._async.pause import AsyncPlaces
from toril.connection._sync.pause import Places

_SOON_S = 0.01


async def _all_free(places: AsyncPlaces, count: int) -> bool:
    """Whether so many can be taken, and not one more."""
    return [await places.enter(_SOON_S) for _ in range(count + 1)] == [True] * count + [False]


async def test_there_are_as_many_as_were_made() -> None:
    assert await _all_free(AsyncPlaces(3), 3)


async def test_who_waits_is_handed_the_place_that_is_left() -> None:
    places = AsyncPlaces(1)
    assert await places.enter(math.inf)
    first, second = (asyncio.create_task(places.enter(math.inf)) for _ in range(2))
    await turns(1)

    places.leave()
    assert await first
    assert not second.done()

    places.leave()
    assert await second


async def test_who_gives_up_costs_no_place() -> None:
    places = AsyncPlaces(1)
    assert await places.enter(math.inf)
    assert not await places.enter(_SOON_S)

    places.leave()

    assert await _all_free(places, 1)


@pytest.mark.parametrize("so_many", [0, 1, 2])
async def test_who_is_cancelled_when_the_place_is_left_costs_none(so_many: int) -> None:
    places = AsyncPlaces(1)
    assert await places.enter(math.inf)
    waiter = asyncio.create_task(places.enter(math.inf))
    await turns(1)

    places.leave()
    await turns(so_many)
    if waiter.cancel():
        with pytest.raises(asyncio.CancelledError):
            await waiter
    else:
        places.leave()

    assert await _all_free(places, 1)


def test_threads_hand_places_on_as_well() -> None:
    places, inside, most = Places(2), 0, 0
    guard = threading.Lock()

    def visit() -> None:
        nonlocal inside, most
        for _ in range(200):
            assert places.enter(math.inf)
            with guard:
                inside += 1
                most = max(most, inside)
            with guard:
                inside -= 1
            places.leave()

    threads = [threading.Thread(target=visit) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert most <= 2
    assert [places.enter(_SOON_S) for _ in range(3)] == [True, True, False]
