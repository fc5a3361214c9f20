"""Whoever has the lease loads, also when somebody who waits for it was quicker."""

import asyncio
import threading

from toril.toolkit.cache._async.flights import AsyncFlight, AsyncFlights
from toril.toolkit.cache._sync.flights import Flight, Flights


async def test_one_who_leads_does_not_join_those_who_wait_for_him() -> None:
    flights: AsyncFlights[str] = AsyncFlights("users")
    waits, loaded = asyncio.Event(), asyncio.Event()

    async def wait(_: AsyncFlight[str]) -> str:
        waits.set()
        await loaded.wait()
        return "waited"

    async def lead(_: AsyncFlight[str]) -> str:
        loaded.set()
        return "led"

    waiting = asyncio.create_task(flights.share("alice token-1", wait))
    await asyncio.wait_for(waits.wait(), 5)

    assert await asyncio.wait_for(flights.share("alice token-1", lead, leads=True), 5) == "led"
    assert await asyncio.wait_for(waiting, 5) == "waited"


def test_one_who_leads_does_not_join_threads_that_wait_for_him() -> None:
    flights: Flights[str] = Flights("users")
    waits, loaded = threading.Event(), threading.Event()
    ends: list[str] = []

    def wait(_: Flight[str]) -> str:
        waits.set()
        assert loaded.wait(5)
        return "waited"

    def lead(_: Flight[str]) -> str:
        loaded.set()
        return "led"

    waiting = threading.Thread(target=lambda: ends.append(flights.share("alice token-1", wait)))
    waiting.start()
    assert waits.wait(5)

    assert flights.share("alice token-1", lead, leads=True) == "led"
    waiting.join(5)
    assert ends == ["waited"]


async def test_closing_breaks_off_those_who_wait_and_him_who_leads() -> None:
    flights: AsyncFlights[str] = AsyncFlights("users")

    begun = asyncio.Barrier(3)

    async def stay(_: AsyncFlight[str]) -> str:
        await begun.wait()
        await asyncio.Event().wait()
        return "never"

    loading = [
        asyncio.create_task(flights.share("alice token-1", stay)),
        asyncio.create_task(flights.share("alice token-1", stay, leads=True)),
    ]
    await asyncio.wait_for(begun.wait(), 5)
    await flights.close()

    done, _ = await asyncio.wait(loading, timeout=5)
    assert len(done) == 2
    assert [str(task.exception()) for task in done] == ["the cache is closed"] * 2
