"""Timeouts, cancellations, lost leases and stops in any order: every job has one fate, every slot
comes back."""

import asyncio
import random
from collections import Counter

import pytest
from tests.support.virtual_time import pass_time
from tests.unit.runtime.rig import Rig, working

from toril.core.errors import JobNotFoundError, JobStateError
from toril.telemetry.events import JobCompleted, JobFailed
from toril.testing import FrozenClock, JobState, MemoryJob, MemoryQueue, MemorySource

JOBS = 60
ENDED = (JobState.COMPLETED, JobState.FAILED)


class Handler:
    """Hears what it is told, or cleans up for a while, or goes on until it is done."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    async def __call__(self, job: MemoryJob) -> str:
        deafness_s = self._chance.choice([0.0, 0.0, 1.0, 6.0])
        loop = asyncio.get_running_loop()
        deaf_until = loop.time() + deafness_s
        ends_at = loop.time() + self._chance.random() * 4
        while (left_s := ends_at - loop.time()) > 0:
            try:
                await pass_time(left_s)
            except asyncio.CancelledError:
                if loop.time() >= deaf_until:
                    raise
        if self._chance.random() < 0.2:
            raise ValueError("no luck")
        return job.id


class Mischief:
    """Cancels jobs and breaks leases while an engine works."""

    def __init__(self, queue: MemoryQueue, chance: random.Random) -> None:
        self._queue = queue
        self._chance = chance
        self.cancelled_at_work: set[str] = set()
        self.removed: set[str] = set()

    def do_something(self, rig: Rig[MemoryJob]) -> None:
        job_id = str(self._chance.randint(1, JOBS))
        match self._chance.randrange(8):
            case 0:
                self._cancel(job_id)
            case 1 if active := self._queue.jobs(JobState.ACTIVE):
                self._cancel(self._chance.choice(active).id)
            case 2 if active := self._queue.jobs(JobState.ACTIVE):
                self._queue.break_lease(self._chance.choice(active).id)
            case 3:
                rig.engine.pause()
            case _:
                rig.engine.resume()

    def _cancel(self, job_id: str) -> None:
        try:
            was_active = self._queue.job(job_id).state is JobState.ACTIVE
            self._queue.cancel(job_id)
        except (JobNotFoundError, JobStateError):
            return
        (self.cancelled_at_work if was_active else self.removed).add(job_id)


@pytest.mark.parametrize("concurrency", [1, 4, 30])
@pytest.mark.parametrize("seed", range(8))
async def test_every_job_has_one_fate_and_every_slot_comes_back(
    seed: int, concurrency: int
) -> None:
    chance, clock = random.Random(seed), FrozenClock()
    queue = MemoryQueue(clock=clock, max_losses=1_000)
    mischief = Mischief(queue, chance)
    for _ in range(JOBS):
        timeout = chance.choice([{}, {}, {"timeout": 0.5}, {"timeout": 2}])
        queue.add(attempts=chance.choice([1, 5]), **timeout)  # type: ignore[typeddict-item]

    async with working(MemorySource(queue), Handler(chance), concurrency=concurrency) as rig:
        while any(job.state not in ENDED for job in queue.jobs()):
            mischief.do_something(rig)
            await pass_time(0.3)
            clock.advance(0.3)
        rig.engine.resume()
        await rig.engine.until_idle()
        await pass_time(20)  # until the deaf have heard
        health = rig.engine.health()
        rig.engine.drain()
        await rig.ended()

    assert (health.running, health.stuck, health.unsettled) == (0, 0, 0)
    assert len(queue.jobs()) == JOBS - len(mischief.removed)
    ends = Counter(
        event.job_id for event in rig.events.seen if isinstance(event, JobCompleted | JobFailed)
    )
    assert ends == {job.id: 1 for job in queue.jobs()}
    never_cancelled = {job.id for job in queue.jobs()} - mischief.cancelled_at_work
    assert all(queue.job(job_id).reason != "cancelled" for job_id in never_cancelled)


@pytest.mark.parametrize("seed", range(8))
async def test_a_stop_in_the_middle_leaves_nothing_active(seed: int) -> None:
    chance, clock = random.Random(seed), FrozenClock()
    queue = MemoryQueue(clock=clock, max_losses=1_000)
    mischief = Mischief(queue, chance)
    for _ in range(JOBS):
        queue.add(attempts=5, timeout=chance.choice([0.5, 2, 60]))

    async with working(MemorySource(queue), Handler(chance), concurrency=10, drain_ms=500) as rig:
        for _ in range(chance.randint(1, 20)):
            mischief.do_something(rig)
            await pass_time(0.3)
            clock.advance(0.3)
        chance.choice([rig.engine.drain, rig.engine.stop_now])()
        await rig.ended()

    lost = [job for job in queue.jobs(JobState.ACTIVE) if job.lease_ends_ms > clock.now_ms()]
    assert lost == []
    assert rig.engine.health().running == 0
