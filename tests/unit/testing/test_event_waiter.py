"""A waiter hands out each event once, and says what it saw when the right one did not come."""

import asyncio
import threading

import pytest
from tests.support.virtual_time import pass_ticks

from toril.telemetry.emitter import Emitter
from toril.telemetry.events import JobClaimed, JobCompleted, JobEvent
from toril.testing import EventNotSeenError, EventWaiter


def claimed(job_id: str) -> JobClaimed:
    return JobClaimed(queue="q", worker="w", job_id=job_id)


async def test_an_event_that_happened_already_is_found() -> None:
    emitter = Emitter()
    waiter = EventWaiter(emitter)
    emitter.emit(claimed("1"))

    assert (await waiter.next(JobClaimed)).job_id == "1"


async def test_each_event_is_handed_out_once_in_its_order() -> None:
    emitter = Emitter()
    waiter = EventWaiter(emitter)
    emitter.emit(claimed("1"))
    emitter.emit(claimed("2"))

    assert [(await waiter.next(JobEvent)).job_id for _ in range(2)] == ["1", "2"]
    assert len(waiter.seen) == waiter.count(JobClaimed) == 2


async def test_only_an_event_with_these_fields_will_do() -> None:
    emitter = Emitter()
    waiter = EventWaiter(emitter)
    emitter.emit(claimed("1"))
    emitter.emit(claimed("2"))

    assert (await waiter.next(JobClaimed, job_id="2")).job_id == "2"
    assert waiter.count(JobClaimed, job_id="1") == 1


async def test_an_event_from_another_thread_ends_the_wait() -> None:
    emitter = Emitter()
    waiter = EventWaiter(emitter)
    waiting = asyncio.create_task(waiter.next(JobClaimed))
    await pass_ticks()

    threading.Thread(target=emitter.emit, args=(claimed("1"),)).start()

    assert (await waiting).job_id == "1"


async def test_two_waits_get_two_events() -> None:
    emitter = Emitter()
    waiter = EventWaiter(emitter)
    waits = [asyncio.create_task(waiter.next(JobClaimed)) for _ in range(2)]
    await pass_ticks()
    emitter.emit(claimed("1"))
    emitter.emit(claimed("2"))

    assert {event.job_id for event in await asyncio.gather(*waits)} == {"1", "2"}


async def test_a_missing_event_is_told_with_what_came_instead() -> None:
    emitter = Emitter()
    waiter = EventWaiter(emitter)
    emitter.emit(claimed("7"))

    with pytest.raises(EventNotSeenError, match="JobCompleted") as missing:
        await waiter.next(JobCompleted, job_id="7", timeout=0.01)

    assert "JobCompleted(job_id='7') did not happen" in str(missing.value)
    assert "JobClaimed(queue='q', worker='w', job_id='7')" in str(missing.value)


async def test_a_closed_waiter_hears_nothing_more() -> None:
    emitter = Emitter()
    waiter = EventWaiter(emitter)
    waiter.close()
    emitter.emit(claimed("1"))

    assert waiter.seen == ()
