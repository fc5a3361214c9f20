"""Whatever a store does wrong, every job ends, and none runs twice at once in one process."""

import random
from collections import Counter
from collections.abc import Sequence

import pytest
from tests.support.virtual_time import pass_time
from tests.unit.runtime.rig import working

from toril.core.errors import OutcomeUnknownError, ScriptError, UnavailableError
from toril.core.outcome import GiveBack, Retry
from toril.runtime.source import Exchange, Lease, Outcome, Reaped
from toril.testing import FrozenClock, JobState, MemoryJob, MemoryQueue, MemorySource

JOBS = 60
ERRORS = [
    UnavailableError("server", "gone"),
    ScriptError("settle", "WRONGTYPE"),
    OutcomeUnknownError("claim", "server"),
    TimeoutError(),
]


class Faulty(MemorySource):
    """Late, failing before or after it has done its work, and ringing for nothing."""

    def __init__(self, queue: MemoryQueue, chance: random.Random) -> None:
        super().__init__(queue)
        self._chance = chance
        self._stranded: list[Lease] = []

    async def exchange(
        self, outcomes: Sequence[Outcome[MemoryJob]], want: int
    ) -> Exchange[MemoryJob]:
        await self._trouble()
        answer = await super().exchange(outcomes, want)
        await self._trouble_after(answer)
        return answer

    async def wait_for_work(self, want: int, timeout_ms: int) -> Exchange[MemoryJob]:
        await self._trouble()
        if self._chance.random() < 0.2:
            return Exchange((), ())
        answer = await super().wait_for_work(want, timeout_ms)
        await self._trouble_after(answer)
        return answer

    async def reap(self) -> Reaped:
        await self._trouble()
        return await super().reap()

    async def give_back(self, leases: Sequence[Lease]) -> int:
        return await super().give_back([*leases, *self._stranded])

    async def _trouble(self) -> None:
        await pass_time(self._chance.random() / 10)
        if self._chance.random() < 0.2:
            raise self._chance.choice(ERRORS)

    async def _trouble_after(self, answer: Exchange[MemoryJob]) -> None:
        """Lose the reply, and what was claimed with it."""
        if self._chance.random() < 0.05:
            self._stranded += [claimed.lease for claimed in answer.claimed]
            raise self._chance.choice(ERRORS)


class Handler:
    """Ends in every way there is, and notices when it runs twice at once on one job."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._running = Counter[str]()
        self.overlaps: list[str] = []

    async def __call__(self, job: MemoryJob) -> object:
        self._running[job.id] += 1
        self.overlaps.extend([job.id] * (self._running[job.id] > 1))
        try:
            if self._chance.random() < 0.7:
                await pass_time(self._chance.random() * 2)
            return self._end()
        finally:
            self._running[job.id] -= 1

    def _end(self) -> object:
        match self._chance.randrange(6):
            case 0:
                raise ValueError("no luck")
            case 1:
                return Retry(delay=self._chance.random())
            case 2:
                return GiveBack()
            case _:
                return "done"


@pytest.mark.parametrize("concurrency", [1, 5, 80])
@pytest.mark.parametrize("seed", range(6))
async def test_every_job_ends(seed: int, concurrency: int) -> None:
    chance, clock = random.Random(seed), FrozenClock()
    queue, handler = MemoryQueue(clock=clock, max_losses=1_000), Handler(chance)
    for number in range(JOBS):
        queue.add(attempts=20, delay=chance.choice([0, 0, 5]), priority=number % 3)

    async with working(Faulty(queue, chance), handler, concurrency=concurrency) as rig:
        while len(queue.jobs(JobState.COMPLETED)) < JOBS:
            await pass_time(1)
            clock.advance(1)
            if chance.random() < 0.1 and (active := queue.jobs(JobState.ACTIVE)):
                queue.break_lease(chance.choice(active).id)
            (rig.engine.pause if chance.random() < 0.01 else rig.engine.resume)()
        rig.engine.drain()
        await rig.ended()

    assert handler.overlaps == []
    assert (rig.engine.health().running, rig.engine.health().unsettled) == (0, 0)
