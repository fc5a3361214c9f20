"""A source wakes its worker for work, and loses none of it when the worker goes away."""

import asyncio

from tests.contracts.harness import LONG_MS, PATIENCE_S, SOON_MS, Harness, claim, ids
from tests.support.virtual_time import pass_time

from toril.runtime.source import Exchange


class Waiting:
    async def test_work_that_is_there_is_claimed_at_once(self, harness: Harness) -> None:
        await harness.add("a")
        source = await harness.source()

        async with asyncio.timeout(PATIENCE_S):
            assert ids(await source.wait_for_work(1, LONG_MS // 10)) == ["a"]

    async def test_a_job_that_is_added_ends_the_wait(self, harness: Harness) -> None:
        source = await harness.source()
        waiting = asyncio.create_task(source.wait_for_work(1, LONG_MS // 10))
        await self._settle_down(waiting)

        await harness.add("a")

        async with asyncio.timeout(PATIENCE_S):
            assert ids(await waiting) == ["a"]

    async def test_no_more_is_claimed_than_was_wanted(self, harness: Harness) -> None:
        for job_id in ("a", "b", "c"):
            await harness.add(job_id)
        source = await harness.source()

        async with asyncio.timeout(PATIENCE_S):
            assert len(ids(await source.wait_for_work(2, LONG_MS // 10))) in {1, 2}

    async def test_the_wait_ends_by_itself(self, harness: Harness) -> None:
        source = await harness.source()

        async with asyncio.timeout(PATIENCE_S):
            assert ids(await source.wait_for_work(1, SOON_MS)) == []

    async def test_exchanges_go_on_beside_the_wait(self, harness: Harness) -> None:
        source = await harness.source()
        waiting = asyncio.create_task(source.wait_for_work(1, LONG_MS // 10))
        await self._settle_down(waiting)

        async with asyncio.timeout(PATIENCE_S):
            await source.exchange([], 0)

        assert not waiting.done()
        await self._cancelled(waiting)

    async def test_one_job_ends_one_wait_with_it(self, harness: Harness) -> None:
        sources = [await harness.source() for _ in range(3)]
        waits = [asyncio.create_task(s.wait_for_work(1, 10 * SOON_MS)) for s in sources]
        await self._settle_down(*waits)

        await harness.add("only")

        async with asyncio.timeout(PATIENCE_S):
            claimed = [job_id for wait in waits for job_id in ids(await wait)]
        assert claimed == ["only"]

    async def test_an_exchange_that_wants_nothing_wakes_the_wait_for_a_due_job(
        self, harness: Harness
    ) -> None:
        await harness.add("soon", delay_ms=SOON_MS)
        source = await harness.source()
        await claim(source)
        waiting = asyncio.create_task(source.wait_for_work(1, LONG_MS // 10))
        await self._settle_down(waiting)
        await harness.pass_time(SOON_MS + 5)

        claimed: list[str] = []
        async with asyncio.timeout(PATIENCE_S):
            while not claimed:
                await source.exchange([], 0)
                claimed = ids(await waiting)
                waiting = asyncio.create_task(source.wait_for_work(1, LONG_MS // 10))
        await self._cancelled(waiting)

        assert claimed == ["soon"]

    async def test_a_wait_that_is_cancelled_keeps_no_job(self, harness: Harness) -> None:
        source = await harness.source()
        found: list[str] = []
        for number in range(10):
            waiting = asyncio.create_task(source.wait_for_work(1, LONG_MS // 10))
            await self._settle_down(waiting, ticks=number)
            adding = asyncio.create_task(harness.add(f"job {number}"))
            await self._settle_down(adding, ticks=number)
            found += await self._cancelled(waiting)
            await adding

        async with asyncio.timeout(PATIENCE_S):
            while len(found) < 10:
                found += ids(await source.exchange([], 10))

        assert sorted(found) == [f"job {number}" for number in range(10)]

    async def _cancelled(self, waiting: asyncio.Task[Exchange[object]]) -> list[str]:
        waiting.cancel()
        try:
            return ids(await waiting)
        except asyncio.CancelledError:
            return []

    async def _settle_down(self, *tasks: asyncio.Task[object], ticks: int = 20) -> None:
        """Let these get as far as they can by themselves within so many ticks."""
        for _ in range(ticks):
            if all(task.done() for task in tasks):
                return
            await pass_time(0.001)


class Closing:
    async def test_closing_twice_is_fine(self, harness: Harness) -> None:
        source = await harness.source()

        await source.close()
        await source.close()

    async def test_a_closed_source_keeps_nothing_from_the_others(self, harness: Harness) -> None:
        await harness.add("a")
        source, other = await harness.source(), await harness.source()
        [claimed] = await claim(source)
        await source.give_back([claimed.lease])

        await source.close()

        assert ids(await other.exchange([], 1)) == ["a"]
