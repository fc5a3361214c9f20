"""Following a queue, on a stream that breaks as the test wants."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.unit.bullmq.fake_stream import FakeStream

from toril.bullmq._async import event_reader as module
from toril.bullmq._async.queue_events import AsyncQueueEvents
from toril.bullmq.operations.inspect.read_events import StoredEvent
from toril.bullmq.queue_events import EventsMissed
from toril.core.errors import (
    DeniedError,
    OutcomeUnknownError,
    ScriptError,
    UnavailableError,
)
from toril.telemetry.emitter import Emitter


@pytest.fixture
async def stream(monkeypatch: pytest.MonkeyPatch) -> FakeStream:
    stream = FakeStream()
    monkeypatch.setattr(module, "AsyncLine", lambda *_, **__: stream)
    return stream


@pytest.fixture
async def events(stream: FakeStream) -> AsyncIterator[AsyncQueueEvents]:
    del stream
    async with asyncio.timeout(5):
        events = AsyncQueueEvents("{q}", "redis://127.0.0.1:1", emitter=Emitter(), after="5-0")
        yield events
        await events.close()


def drained(event_id: str) -> StoredEvent:
    return StoredEvent(event_id, {b"event": b"drained"})


@pytest.mark.parametrize(
    "error",
    [
        OutcomeUnknownError("XREAD", "here"),
        UnavailableError("here", "connection refused"),
    ],
)
async def test_a_reading_that_is_lost_goes_on_where_it_was(
    stream: FakeStream, events: AsyncQueueEvents, error: Exception
) -> None:
    stream.happens(drained("6-0"))
    stream.fails(error)
    stream.happens()
    stream.happens(drained("7-0"))

    assert [(await anext(events)).id for _ in range(2)] == ["6-0", "7-0"]
    assert [question.after_id for question in stream.questions] == ["5-0", "6-0", "6-0", "6-0"]


@pytest.mark.parametrize("error", [ScriptError("XREAD", "WRONGTYPE"), DeniedError("here", "no")])
async def test_what_no_repetition_changes_is_raised(
    stream: FakeStream, events: AsyncQueueEvents, error: Exception
) -> None:
    stream.fails(error)

    with pytest.raises(type(error)):
        await anext(events)


async def test_what_is_missing_is_told_before_what_came_behind_it(
    stream: FakeStream, events: AsyncQueueEvents
) -> None:
    stream.edges = ("8-0", "9-0")
    stream.happens(drained("8-0"), drained("9-0"))

    told: list[Any] = [await anext(events) for _ in range(3)]

    assert told[0] == EventsMissed(id="5-0", until="8-0")
    assert [event.id for event in told[1:]] == ["8-0", "9-0"]


async def test_a_stream_that_ends_before_its_reader_is_read_from_its_end(
    stream: FakeStream, events: AsyncQueueEvents
) -> None:
    stream.edges = ("1-0", "2-0")
    stream.happens()
    stream.happens(drained("3-0"))

    assert await anext(events) == EventsMissed(id="5-0", until="2-0")
    stream.edges = ("1-0", "3-0")
    assert (await anext(events)).id == "3-0"
    assert [question.after_id for question in stream.questions] == ["5-0", "2-0"]


async def test_what_was_read_and_not_asked_for_yet_is_left_behind_by_closing(
    stream: FakeStream, events: AsyncQueueEvents
) -> None:
    stream.happens(drained("6-0"), drained("7-0"))
    await anext(events)

    await events.close()

    assert [event async for event in events] == []
