"""The events of a queue are followed from now, from an event on, or from the beginning."""  # generated from _async/test_queue_events.py by tools/generate_sync.py: edit that file

from datetime import timedelta
from itertools import pairwise

import pytest
import redis
from tests.integration.bullmq.rigs import Hire
from tests.support.servers import ValkeyServer

from toril import Queue, QueueEvents, Deduplication, Job
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


def several(events: QueueEvents, count: int) -> list[QueueEvent]:
    """The next ones."""
    return [next(events) for _ in range(count)]


def test_all_that_happens_to_a_job_is_told_in_order(
    every_server: ValkeyServer, hire: Hire
) -> None:
    with (
        Queue("mail", every_server.url) as queue,
        QueueEvents("mail", every_server.url) as events,
    ):
        job = queue.add("double", 21)
        hire(work, every_server.url)
        job.result(timeout=5)

        told = several(events, 6)

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


def test_a_failure_says_why(redis_url: str, hire: Hire) -> None:
    with Queue("mail", redis_url) as queue:
        queue.add("n", "bad", attempts=1)
        hire(work, redis_url)
        with QueueEvents("mail", redis_url, after=BEGINNING) as events:
            *_, failed, exhausted = several(events, 6)

    assert failed == happened.FailedEvent(id=failed.id, job_id="1", reason="no", previous="active")
    assert exhausted == happened.RetriesExhaustedEvent(id=exhausted.id, job_id="1", attempts_made=1)


def test_what_becomes_of_jobs_that_are_not_run_is_told(redis_url: str) -> None:
    once = Deduplication("once")
    with (
        Queue("mail", redis_url) as queue,
        QueueEvents("mail", redis_url) as events,
    ):
        delayed = queue.add("n", delay=60, job_id="later")
        queue.add("n", job_id="later")
        queue.add("n", deduplication=once)
        queue.add("n", deduplication=once)
        queue.pause()
        queue.resume()

        told = several(events, 9)

    assert [type(event).__name__ for event in told] == [
        *("AddedEvent", "DelayedEvent", "DuplicatedEvent", "AddedEvent", "WaitingEvent"),
        *("DebouncedEvent", "DeduplicatedEvent", "PausedEvent", "ResumedEvent"),
    ]
    assert isinstance(told[1], happened.DelayedEvent)
    assert (told[1].until - delayed.created_at).total_seconds() == 60
    assert isinstance(told[6], happened.DeduplicatedEvent)
    assert told[6].deduplication_id == "once"


def test_following_begins_now_unless_it_is_told_where(redis_url: str) -> None:
    with Queue("mail", redis_url) as queue:
        queue.add("before")
        with QueueEvents("mail", redis_url) as events:
            queue.add("after")
            assert [event.name for event in _added(events, 1)] == ["after"]
        with QueueEvents("mail", redis_url, after=BEGINNING) as events:
            first, second = _added(events, 2)
            assert (first.name, second.name) == ("before", "after")
        with QueueEvents("mail", redis_url, after=first.id) as events:
            assert isinstance(next(events), happened.WaitingEvent)
            assert _added(events, 1) == [second]
        with QueueEvents("mail", redis_url, after="0") as events:
            assert next(events) == first


def test_a_queue_that_is_new_is_followed_from_its_first_event(redis_url: str) -> None:
    with QueueEvents("mail", redis_url) as events:
        with Queue("mail", redis_url) as queue:
            queue.add("first")

        assert [event.name for event in _added(events, 1)] == ["first"]


def test_more_events_than_fit_into_one_reading_all_come(redis_url: str) -> None:
    with Queue("mail", redis_url) as queue:
        queue.add_many([("n", number) for number in range(1_200)])
        with QueueEvents("mail", redis_url, after=BEGINNING) as events:
            told = _added(events, 1_200)

    assert [event.job_id for event in told] == [str(number) for number in range(1, 1_201)]


def test_entries_that_nobody_can_read_are_skipped_and_told(
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
    with QueueEvents("mail", redis_url, after=BEGINNING, emitter=emitter) as events:
        assert isinstance(next(events), happened.DrainedEvent)

    problems = [event.problem for event in skipped if isinstance(event, QueueEventSkipped)]
    assert len(problems) == 5
    assert problems[0].startswith("returnvalue cannot be read: it is not JSON")
    assert problems[3] == "jobId cannot be read: it is missing"


def test_an_event_of_somebody_else_s_making_is_told_as_it_is(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with QueueEvents("mail", redis_url) as events:
        redis_client.xadd(STREAM, {"event": "sold out", "item": "7", "left": "0"})

        event = next(events)

    fields = {"item": "7", "left": "0"}
    assert event == happened.OtherEvent(id=event.id, name="sold out", fields=fields)


def test_events_that_were_trimmed_before_they_were_read_are_missed_aloud(
    redis_url: str, redis_client: redis.Redis
) -> None:
    ids = [redis_client.xadd(STREAM, {"event": "drained"}).decode() for _ in range(9)]
    redis_client.xtrim(STREAM, maxlen=4, approximate=False)
    with QueueEvents("mail", redis_url, after=ids[1]) as events:
        gap, *others = several(events, 5)

    assert gap == happened.EventsMissed(id=ids[1], until=ids[5])
    assert [event.id for event in others] == ids[5:]


def test_a_place_that_is_still_there_misses_nothing(
    redis_url: str, redis_client: redis.Redis
) -> None:
    ids = [redis_client.xadd(STREAM, {"event": "drained"}).decode() for _ in range(5)]
    redis_client.xtrim(STREAM, maxlen=3, approximate=False)
    with QueueEvents("mail", redis_url, after=ids[2]) as events:
        assert [event.id for event in several(events, 2)] == ids[3:]


def test_a_key_that_is_no_stream_is_told(redis_url: str, redis_client: redis.Redis) -> None:
    redis_client.set(STREAM, "no stream")
    events = QueueEvents("mail", redis_url, after=BEGINNING)

    with pytest.raises(ScriptError, match="WRONGTYPE"):
        next(events)

    events.close()
    redis_client.flushdb()


def test_an_event_is_waited_for_as_long_as_one_wants(redis_url: str) -> None:
    with (
        Queue("mail", redis_url) as queue,
        QueueEvents("mail", redis_url) as events,
    ):
        assert events.next(timeout=0.02) is None
        assert events.next(timeout=0) is None
        queue.add("n")

        added = events.next(timeout=0)
        waiting = events.next(timeout=timedelta(seconds=5))

        assert isinstance(added, happened.AddedEvent)
        assert isinstance(waiting, happened.WaitingEvent)
        events.close()
        assert events.next(timeout=5) is None


@pytest.mark.parametrize("patience", [-1, float("nan"), "1", None])
def test_a_time_that_is_none_is_refused(redis_url: str, patience: float) -> None:
    with QueueEvents("mail", redis_url) as events:
        with pytest.raises(BadInputError, match=r"^timeout: "):
            events.next(patience)


def test_nothing_comes_from_events_that_are_closed(redis_url: str) -> None:
    events = QueueEvents("mail", redis_url)
    events.close()

    assert [event for event in events] == []


@pytest.mark.parametrize("after", ["", "now", "$", "1-", "-1", "1-2-3", 5, "99999999999999999999"])
def test_a_place_that_is_none_is_refused(redis_url: str, after: object) -> None:
    with pytest.raises(BadInputError, match=r"^after: "):
        QueueEvents("mail", redis_url, after=after)  # type: ignore[arg-type]


def _added(events: QueueEvents, count: int) -> list[happened.AddedEvent]:
    found: list[happened.AddedEvent] = []
    while len(found) < count:
        event = next(events)
        if isinstance(event, happened.AddedEvent):
            found.append(event)
    return found
