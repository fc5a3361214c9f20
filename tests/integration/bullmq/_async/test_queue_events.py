"""The events of a queue are followed from now, from an event on, or from the beginning."""

from datetime import timedelta
from itertools import pairwise

import pytest
import redis
from tests.integration.bullmq.rigs import Hire
from tests.support.servers import ValkeyServer

from toril import AsyncQueue, AsyncQueueEvents, Deduplication, Job
from toril.bullmq import queue_events as happened
from toril.bullmq.queue_events import BEGINNING, QueueEvent
from toril.core.errors import BadInputError, ScriptError
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import Event, QueueEventSkipped

STREAM = "bull:{mail}:events"


def work(job: Job) -> object:
    job.set_progress({"half": True})
    if job.data == "bad":
        raise ValueError("no")
    return {"doubled": job.data * 2}


async def several(events: AsyncQueueEvents, count: int) -> list[QueueEvent]:
    """The next ones."""
    return [await anext(events) for _ in range(count)]


async def test_all_that_happens_to_a_job_is_told_in_order(
    every_server: ValkeyServer, hire: Hire
) -> None:
    async with (
        AsyncQueue("mail", every_server.url) as queue,
        AsyncQueueEvents("mail", every_server.url) as events,
    ):
        job = await queue.add("double", 21)
        hire(work, every_server.url)
        await job.result(timeout=5)

        told = await several(events, 6)

    assert [type(event) for event in told] == [
        happened.AddedEvent,
        happened.WaitingEvent,
        happened.ActiveEvent,
        happened.ProgressEvent,
        happened.CompletedEvent,
        happened.DrainedEvent,
    ]
    added, waiting, active, progress, completed, _ = told
    assert isinstance(added, happened.AddedEvent)
    assert (added.job_id, added.name) == (job.id, "double")
    assert waiting == happened.WaitingEvent(id=waiting.id, job_id=job.id)
    assert active == happened.ActiveEvent(id=active.id, job_id=job.id, previous="waiting")
    assert isinstance(progress, happened.ProgressEvent)
    assert progress.progress == {"half": True}
    assert isinstance(completed, happened.CompletedEvent)
    assert (completed.result, completed.previous) == ({"doubled": 42}, "active")
    assert all(one.at <= next_one.at for one, next_one in pairwise(told))
    assert abs(added.at - job.created_at).total_seconds() < 1


async def test_a_failure_says_why(redis_url: str, hire: Hire) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add("n", "bad", attempts=1)
        hire(work, redis_url)
        async with AsyncQueueEvents("mail", redis_url, after=BEGINNING) as events:
            *_, failed, exhausted = await several(events, 6)

    assert failed == happened.FailedEvent(id=failed.id, job_id="1", reason="no", previous="active")
    assert exhausted == happened.RetriesExhaustedEvent(id=exhausted.id, job_id="1", attempts_made=1)


async def test_what_becomes_of_jobs_that_are_not_run_is_told(redis_url: str) -> None:
    once = Deduplication("once")
    async with (
        AsyncQueue("mail", redis_url) as queue,
        AsyncQueueEvents("mail", redis_url) as events,
    ):
        delayed = await queue.add("n", delay=60, job_id="later")
        await queue.add("n", job_id="later")
        await queue.add("n", deduplication=once)
        await queue.add("n", deduplication=once)
        await queue.pause()
        await queue.resume()

        told = await several(events, 9)

    assert [type(event).__name__ for event in told] == [
        *("AddedEvent", "DelayedEvent", "DuplicatedEvent", "AddedEvent", "WaitingEvent"),
        *("DebouncedEvent", "DeduplicatedEvent", "PausedEvent", "ResumedEvent"),
    ]
    assert isinstance(told[1], happened.DelayedEvent)
    assert (told[1].until - delayed.created_at).total_seconds() == 60
    assert isinstance(told[6], happened.DeduplicatedEvent)
    assert told[6].deduplication_id == "once"


async def test_following_begins_now_unless_it_is_told_where(redis_url: str) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add("before")
        async with AsyncQueueEvents("mail", redis_url) as events:
            await queue.add("after")
            assert [event.name for event in await _added(events, 1)] == ["after"]
        async with AsyncQueueEvents("mail", redis_url, after=BEGINNING) as events:
            first, second = await _added(events, 2)
            assert (first.name, second.name) == ("before", "after")
        async with AsyncQueueEvents("mail", redis_url, after=first.id) as events:
            assert isinstance(await anext(events), happened.WaitingEvent)
            assert await _added(events, 1) == [second]
        async with AsyncQueueEvents("mail", redis_url, after="0") as events:
            assert await anext(events) == first


async def test_a_queue_that_is_new_is_followed_from_its_first_event(redis_url: str) -> None:
    async with AsyncQueueEvents("mail", redis_url) as events:
        async with AsyncQueue("mail", redis_url) as queue:
            await queue.add("first")

        assert [event.name for event in await _added(events, 1)] == ["first"]


async def test_more_events_than_fit_into_one_reading_all_come(redis_url: str) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add_many([("n", number) for number in range(1_200)])
        async with AsyncQueueEvents("mail", redis_url, after=BEGINNING) as events:
            told = await _added(events, 1_200)

    assert [event.job_id for event in told] == [str(number) for number in range(1, 1_201)]


async def test_entries_that_nobody_can_read_are_skipped_and_told(
    redis_url: str, redis_client: redis.Redis
) -> None:
    skipped: list[Event] = []
    for fields in (
        {"event": "completed", "jobId": "1", "returnvalue": "oh, fine"},
        {"event": "progress", "jobId": "1", "data": "{"},
        {"event": "delayed", "jobId": "1", "delay": "soon"},
        {"event": "active"},
        {"no": "event"},
        {"event": "drained"},
    ):
        redis_client.xadd(STREAM, fields)  # type: ignore[arg-type]
    emitter = Emitter(skipped.append)
    async with AsyncQueueEvents("mail", redis_url, after=BEGINNING, emitter=emitter) as events:
        assert isinstance(await anext(events), happened.DrainedEvent)

    problems = [event.problem for event in skipped if isinstance(event, QueueEventSkipped)]
    assert len(problems) == 5
    assert problems[0].startswith("returnvalue cannot be read: it is not JSON")
    assert problems[3] == "jobId cannot be read: it is missing"


async def test_an_event_of_somebody_else_s_making_is_told_as_it_is(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueueEvents("mail", redis_url) as events:
        redis_client.xadd(STREAM, {"event": "sold out", "item": "7", "left": "0"})

        event = await anext(events)

    fields = {"item": "7", "left": "0"}
    assert event == happened.OtherEvent(id=event.id, name="sold out", fields=fields)


async def test_events_that_were_trimmed_before_they_were_read_are_missed_aloud(
    redis_url: str, redis_client: redis.Redis
) -> None:
    ids = [redis_client.xadd(STREAM, {"event": "drained"}).decode() for _ in range(9)]
    redis_client.xtrim(STREAM, maxlen=4, approximate=False)
    async with AsyncQueueEvents("mail", redis_url, after=ids[1]) as events:
        gap, *others = await several(events, 5)

    assert gap == happened.EventsMissed(id=ids[1], until=ids[5])
    assert [event.id for event in others] == ids[5:]


async def test_a_place_that_is_still_there_misses_nothing(
    redis_url: str, redis_client: redis.Redis
) -> None:
    ids = [redis_client.xadd(STREAM, {"event": "drained"}).decode() for _ in range(5)]
    redis_client.xtrim(STREAM, maxlen=3, approximate=False)
    async with AsyncQueueEvents("mail", redis_url, after=ids[2]) as events:
        assert [event.id for event in await several(events, 2)] == ids[3:]


async def test_a_key_that_is_no_stream_is_told(redis_url: str, redis_client: redis.Redis) -> None:
    redis_client.set(STREAM, "no stream")
    events = AsyncQueueEvents("mail", redis_url, after=BEGINNING)

    with pytest.raises(ScriptError, match="WRONGTYPE"):
        await anext(events)

    await events.close()
    redis_client.flushdb()


async def test_an_event_is_waited_for_as_long_as_one_wants(redis_url: str) -> None:
    async with (
        AsyncQueue("mail", redis_url) as queue,
        AsyncQueueEvents("mail", redis_url) as events,
    ):
        assert await events.next(timeout=0.02) is None
        assert await events.next(timeout=0) is None
        await queue.add("n")

        added = await events.next(timeout=0)
        waiting = await events.next(timeout=timedelta(seconds=5))

        assert isinstance(added, happened.AddedEvent)
        assert isinstance(waiting, happened.WaitingEvent)
        await events.close()
        assert await events.next(timeout=5) is None


@pytest.mark.parametrize("patience", [-1, float("nan"), "1", None])
async def test_a_time_that_is_none_is_refused(redis_url: str, patience: float) -> None:
    async with AsyncQueueEvents("mail", redis_url) as events:
        with pytest.raises(BadInputError, match=r"^timeout: "):
            await events.next(patience)


async def test_nothing_comes_from_events_that_are_closed(redis_url: str) -> None:
    events = AsyncQueueEvents("mail", redis_url)
    await events.close()

    assert [event async for event in events] == []


@pytest.mark.parametrize("after", ["", "now", "$", "1-", "-1", "1-2-3", 5, "99999999999999999999"])
async def test_a_place_that_is_none_is_refused(redis_url: str, after: object) -> None:
    with pytest.raises(BadInputError, match=r"^after: "):
        AsyncQueueEvents("mail", redis_url, after=after)  # type: ignore[arg-type]


async def _added(events: AsyncQueueEvents, count: int) -> list[happened.AddedEvent]:
    found: list[happened.AddedEvent] = []
    while len(found) < count:
        event = await anext(events)
        if isinstance(event, happened.AddedEvent):
            found.append(event)
    return found
