"""The in-memory queue behaves as a real one where a test would notice."""

import asyncio
import threading

import pytest
from tests.support.virtual_time import pass_ticks

from toril.core.errors import (
    BadInputError,
    ClosedError,
    ConflictError,
    JobNotFoundError,
    UnavailableError,
)
from toril.core.outcome import Say
from toril.runtime.source import Claimed, Effect, Outcome, Raised, Returned, Said
from toril.testing import FrozenClock, JobState, MemoryJob, MemoryQueue, MemorySource


def claim(queue: MemoryQueue) -> Claimed[MemoryJob]:
    [claimed] = queue.claim(1, "token")
    return claimed


def test_data_passes_through_json() -> None:
    queue, data = MemoryQueue(), {"to": ("ada", "bob")}
    job_id = queue.add(data)

    assert queue.job(job_id).data == {"to": ["ada", "bob"]}
    with pytest.raises(BadInputError, match="data"):
        queue.add(object())


def test_ids_count_up_and_may_be_chosen_once() -> None:
    queue = MemoryQueue()

    assert [queue.add(), queue.add(job_id="mine"), queue.add()] == ["1", "mine", "2"]
    with pytest.raises(ConflictError, match="mine"):
        queue.add(job_id="mine")


def test_an_unknown_job_is_not_found() -> None:
    with pytest.raises(JobNotFoundError, match="nobody"):
        MemoryQueue().job("nobody")


def test_jobs_can_be_counted_and_listed_by_state() -> None:
    queue = MemoryQueue(clock=FrozenClock())
    first, later = queue.add(), queue.add(delay=5)
    claim(queue)

    counts = queue.counts()

    assert (counts[JobState.ACTIVE], counts[JobState.DELAYED], counts[JobState.WAITING]) == (
        1,
        1,
        0,
    )
    assert [job.id for job in queue.jobs()] == [first, later]
    assert [job.id for job in queue.jobs(JobState.DELAYED)] == [later]


def test_time_makes_delayed_jobs_ready() -> None:
    clock = FrozenClock()
    queue = MemoryQueue(clock=clock)
    job_id = queue.add(delay=5)
    assert queue.next_in_ms() == 5_000

    clock.advance(4.999)
    assert queue.job(job_id).state is JobState.DELAYED
    clock.advance(0.001)

    assert queue.job(job_id).state is JobState.WAITING


def test_a_result_is_kept_and_a_failure_has_its_reason() -> None:
    queue = MemoryQueue()
    good, bad = queue.add(), queue.add()

    queue.settle(Outcome(claim(queue), Returned({"sent": True})))
    queue.settle(Outcome(claim(queue), Raised(KeyError())))

    assert queue.job(good).result == {"sent": True}
    assert (queue.job(bad).state, queue.job(bad).reason) == (JobState.FAILED, "KeyError")


def test_a_word_it_does_not_know_fails_the_job() -> None:
    class Sing(Say): ...

    queue = MemoryQueue()
    queue.add(attempts=3)

    settled = queue.settle(Outcome(claim(queue), Said(Sing())))

    assert (settled.effect, "Sing" in settled.reason) == (Effect.FAILED, True)


async def test_a_source_that_is_closed_or_down_says_so() -> None:
    source = MemorySource()
    source.queue.is_down = True
    with pytest.raises(UnavailableError):
        await source.exchange([], 1)

    source.queue.is_down = False
    await source.close()

    with pytest.raises(ClosedError):
        await source.exchange([], 1)


async def test_a_job_added_from_another_thread_wakes_the_worker() -> None:
    source = MemorySource()
    waiting = asyncio.create_task(source.wait_for_work(1, 5_000))
    await pass_ticks()

    threading.Thread(target=source.queue.add).start()

    assert len((await waiting).claimed) == 1


def test_the_system_clock_goes_by_itself_and_the_frozen_one_does_not() -> None:
    clock = FrozenClock(now_ms=10)

    assert (clock.now_ms(), clock.now_ms()) == (10, 10)
    clock.advance(1.5)
    assert clock.now_ms() == 1_510
    with pytest.raises(BadInputError):
        clock.advance(-1)
