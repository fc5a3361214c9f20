"""The engine and the in-memory source together: jobs go all the way through."""

from collections import Counter

import pytest
from tests.support.virtual_time import pass_time
from tests.unit.runtime.rig import working

from toril.core.backoff import Backoff
from toril.core.outcome import Delay, Discard, Retry
from toril.telemetry.events import (
    JobClaimed,
    JobCompleted,
    JobDelayed,
    JobFailed,
    JobRetried,
    JobsRecovered,
    WorkerStopped,
)
from toril.testing import FrozenClock, JobState, MemoryJob, MemoryQueue, MemorySource


@pytest.mark.parametrize("concurrency", [1, 7, 60])
async def test_every_job_runs_once_and_completes(concurrency: int) -> None:
    queue, runs = MemoryQueue(clock=FrozenClock()), Counter[str]()

    async def handler(job: MemoryJob) -> str:
        runs[job.id] += 1
        await pass_time(0.001 * (int(job.id) % 3))
        return f"{job.data} done"

    ids = [queue.add(number) for number in range(300)]
    async with working(MemorySource(queue), handler, concurrency=concurrency) as rig:
        for job_id in ids:
            await rig.events.next(JobCompleted, job_id=job_id)

    assert runs == Counter(ids)
    assert [queue.job(job_id).result for job_id in ids[:2]] == ["0 done", "1 done"]


async def test_one_slot_keeps_the_order() -> None:
    queue, order = MemoryQueue(clock=FrozenClock()), []

    async def handler(job: MemoryJob) -> None:
        order.append(job.data)

    for number in range(20):
        queue.add(number, priority=5 if number < 3 else 0)
    async with working(MemorySource(queue), handler) as rig:
        for _ in range(20):
            await rig.events.next(JobCompleted)

    assert order == [*range(3, 20), 0, 1, 2]


async def test_a_failing_job_is_retried_until_its_attempts_are_over() -> None:
    clock = FrozenClock()
    queue = MemoryQueue(clock=clock)

    async def handler(_job: MemoryJob) -> None:
        raise ValueError("no luck")

    job_id = queue.add(attempts=3, backoff=Backoff.exponential(10))
    async with working(MemorySource(queue), handler) as rig:
        for delay_ms in (10_000, 20_000):
            retried = await rig.events.next(JobRetried, job_id=job_id)
            assert (retried.reason, retried.delay_ms) == ("no luck", delay_ms)
            clock.advance(delay_ms / 1_000)
        failed = await rig.events.next(JobFailed, job_id=job_id)

    assert failed.reason == "no luck"
    assert queue.job(job_id).attempts_made == 3


async def test_what_a_handler_says_is_done() -> None:
    clock = FrozenClock()
    queue = MemoryQueue(clock=clock)
    answers = [Delay(until=5), Retry("busy", delay=7), Discard("unwanted")]

    async def handler(_job: MemoryJob) -> object:
        return answers.pop(0)

    job_id = queue.add(attempts=5)
    async with working(MemorySource(queue), handler) as rig:
        assert (await rig.events.next(JobDelayed)).delay_ms == 5_000
        clock.advance(5)
        assert (await rig.events.next(JobRetried)).delay_ms == 7_000
        clock.advance(7)
        assert (await rig.events.next(JobFailed)).reason == "unwanted"

    assert queue.job(job_id).attempts_made == 2


async def test_a_job_added_to_an_idle_engine_starts() -> None:
    queue = MemoryQueue(clock=FrozenClock())

    async def handler(_job: MemoryJob) -> None: ...

    async with working(MemorySource(queue), handler, concurrency=3) as rig:
        for _ in range(5):
            await pass_time(60)
            job_id = queue.add()
            await rig.events.next(JobCompleted, job_id=job_id)


async def test_the_jobs_of_a_lost_worker_are_run_by_another() -> None:
    clock = FrozenClock()
    queue = MemoryQueue(clock=clock)

    async def handler(_job: MemoryJob) -> str:
        return "done"

    job_id = queue.add()
    await MemorySource(queue).exchange([], 1)
    async with working(MemorySource(queue), handler) as rig:
        await pass_time(60)
        assert rig.saw(JobClaimed) == 0

        clock.advance(31)

        recovered = await rig.events.next(JobsRecovered)
        assert recovered.recovered == (job_id,)
        await rig.events.next(JobCompleted, job_id=job_id)


async def test_two_engines_share_a_queue_without_running_a_job_twice() -> None:
    queue, runs = MemoryQueue(clock=FrozenClock()), Counter[str]()

    async def handler(job: MemoryJob) -> None:
        runs[job.id] += 1
        await pass_time(0.001)

    ids = [queue.add() for _ in range(100)]
    async with (
        working(MemorySource(queue), handler, concurrency=5),
        working(MemorySource(queue), handler, concurrency=5),
    ):
        await pass_time(60)

    assert len(queue.jobs(JobState.COMPLETED)) == len(ids)
    assert runs == Counter(ids)


async def test_an_outage_costs_nothing_but_time() -> None:
    queue, runs = MemoryQueue(clock=FrozenClock()), Counter[str]()

    async def handler(job: MemoryJob) -> None:
        runs[job.id] += 1
        await pass_time(1)

    ids = [queue.add() for _ in range(40)]
    async with working(MemorySource(queue), handler, concurrency=4) as rig:
        for _ in range(4):
            await pass_time(1.5)
            queue.is_down = True
            await pass_time(3)
            queue.is_down = False
        for job_id in ids:
            await rig.events.next(JobCompleted, job_id=job_id)

    assert runs == Counter(ids)


async def test_what_a_rolling_restart_interrupts_is_not_lost() -> None:
    queue, runs = MemoryQueue(clock=FrozenClock()), Counter[str]()

    async def handler(job: MemoryJob) -> None:
        runs[job.id] += 1
        await pass_time(10)

    ids = [queue.add() for _ in range(6)]
    given_back = 0
    for _ in range(3):
        async with working(MemorySource(queue), handler, concurrency=2, drain_ms=3_000) as rig:
            await pass_time(15)
            rig.engine.drain()
            await rig.ended()
            given_back += (await rig.events.next(WorkerStopped)).given_back

    assert given_back == 4
    assert {job.losses for job in queue.jobs()} == {0}
    assert len(queue.jobs(JobState.COMPLETED)) == len(ids)
    assert sum(runs.values()) == len(ids) + given_back
