"""Waiting for jobs to end: one reader for everybody who waits on a loop."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from tests.unit.bullmq.fake_stream import FakeStream

from toril.bullmq._async import event_reader as reader_module
from toril.bullmq._async import finish_watch as module
from toril.bullmq._async.finish_watch import AsyncFinishWatch
from toril.bullmq._sync import event_reader as blocking_reader_module
from toril.bullmq._sync.finish_watch import FinishWatch
from toril.bullmq.operations.inspect.finish_state import (
    Completed,
    Failed,
    FinishState,
    Unfinished,
)
from toril.bullmq.operations.inspect.read_events import ReadEvents, StoredEvent
from toril.bullmq.wire.keys import QueueKeys
from toril.connection import Target
from toril.core.errors import (
    ClosedError,
    JobNotFoundError,
    OutcomeUnknownError,
    ResultTimeoutError,
    ScriptError,
    UnavailableError,
)
from toril.telemetry.emitter import Emitter

KEYS = QueueKeys("bull", "{q}")
TARGET = Target.of("redis://127.0.0.1:1")
RUNNING = Unfinished(exists=True, last_event_id="5-0")
MISSING = Unfinished(exists=False, last_event_id="5-0")
DONE = Completed(b"7")
LOST = OutcomeUnknownError("XREAD", "here")
DOWN = UnavailableError("here", "connection refused")


class FakeStates:
    """What a look at a job finds: the last state is found for ever."""

    def __init__(self, *states: FinishState) -> None:
        self.states = list(states) or [RUNNING]
        self.looks = 0
        self.looked = asyncio.Event()

    async def run(self, _: object) -> FinishState:
        self.looks += 1
        self.looked.set()
        return self.states.pop(0) if len(self.states) > 1 else self.states[0]


def completed(job_id: str, event_id: str = "6-0") -> StoredEvent:
    fields = {b"event": b"completed", b"jobId": job_id.encode(), b"returnvalue": b"7"}
    return StoredEvent(event_id, fields)


def failed(job_id: str) -> StoredEvent:
    fields = {b"event": b"failed", b"jobId": job_id.encode(), b"failedReason": b"no"}
    return StoredEvent("6-0", fields)


class Rig:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.stream = FakeStream()
        self.states = FakeStates()
        monkeypatch.setattr(reader_module, "AsyncLine", lambda *_, **__: self.stream)
        runner: Any = self
        self.watch = AsyncFinishWatch(TARGET, runner, KEYS, Emitter())

    async def run(self, operation: object) -> FinishState:
        return await self.states.run(operation)

    async def waiting(
        self, job_id: str, timeout_ms: int | None = None
    ) -> asyncio.Task[Completed | Failed]:
        """Somebody who waits, once they have looked."""
        self.states.looked.clear()
        task = asyncio.create_task(self.watch.wait_for(job_id, timeout_ms))
        await self.states.looked.wait()
        await asyncio.wait([task], timeout=0.001)
        return task


@pytest.fixture
async def rig(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Rig]:
    async with asyncio.timeout(5):
        rig = Rig(monkeypatch)
        yield rig
        await rig.watch.close()


@pytest.mark.parametrize("state", [DONE, Failed("no")])
@pytest.mark.parametrize("timeout_ms", [None, 0, 1_000])
async def test_a_job_that_has_ended_needs_no_waiting(
    rig: Rig, state: FinishState, timeout_ms: int | None
) -> None:
    rig.states.states = [state]

    assert await rig.watch.wait_for("1", timeout_ms) == state
    assert rig.stream.questions == []


async def test_a_job_that_is_not_there_is_not_waited_for(rig: Rig) -> None:
    rig.states.states = [MISSING]

    with pytest.raises(JobNotFoundError, match="no job '1'"):
        await rig.watch.wait_for("1", None)


async def test_many_wait_on_one_reading_and_each_hears_of_its_own_job(rig: Rig) -> None:
    first, second, third = [await rig.waiting(job_id) for job_id in ("1", "2", "1")]

    rig.stream.happens(completed("1"), completed("9"), StoredEvent("7-0", {b"event": b"drained"}))
    rig.stream.happens(failed("2"))

    assert await first == await third == DONE
    assert await second == Failed("no")
    assert rig.stream.questions[0].after_id == "5-0"
    assert rig.stream.questions[1].after_id == "7-0"


async def test_waiting_again_costs_no_new_connection(rig: Rig) -> None:
    """To cancel a reading is to drop its connection."""
    for number in range(3):
        waiting = await rig.waiting(str(number))
        rig.stream.happens(completed(str(number)))
        await waiting

    assert rig.stream.breaks == 0


async def test_a_reader_whom_nobody_needs_ends_with_its_block(rig: Rig) -> None:
    waiting = await rig.waiting("1")
    rig.stream.happens(completed("1"))
    await waiting

    rig.stream.happens()
    await asyncio.wait([_reading(rig)], timeout=1)

    assert _reading(rig).done()
    assert not rig.watch._waiting


async def test_a_reader_that_ended_is_followed_by_another(rig: Rig) -> None:
    await test_a_reader_whom_nobody_needs_ends_with_its_block(rig)

    waiting = await rig.waiting("2")
    rig.stream.happens(completed("2"))

    assert await waiting == DONE


async def test_who_gives_up_disturbs_nobody(rig: Rig) -> None:
    patient = await rig.waiting("1")
    cancelled = await rig.waiting("1")
    with pytest.raises(ResultTimeoutError, match=r"within 0\.01 s"):
        await rig.watch.wait_for("1", 10)
    cancelled.cancel()
    await asyncio.wait([cancelled])

    rig.stream.happens(completed("1"))

    assert await patient == DONE


async def test_a_timeout_of_nothing_looks_once(rig: Rig) -> None:
    with pytest.raises(ResultTimeoutError):
        await rig.watch.wait_for("1", 0)

    assert rig.states.looks == 1


@pytest.mark.parametrize("error", [LOST, DOWN])
async def test_a_reading_that_is_lost_goes_on_where_it_was(rig: Rig, error: Exception) -> None:
    waiting = await rig.waiting("1")
    rig.stream.happens(completed("9", "8-0"))
    rig.stream.fails(error)
    rig.stream.happens(completed("1"))

    assert await waiting == DONE
    assert [question.after_id for question in rig.stream.questions[:3]] == ["5-0", "8-0", "8-0"]


async def test_an_event_that_was_trimmed_away_is_made_up_for_by_a_look(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_POLL_MS", 10)
    rig.states.states = [RUNNING, RUNNING, DONE]

    assert await rig.watch.wait_for("1", None) == DONE


async def test_a_job_that_is_removed_meanwhile_is_not_waited_for(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_POLL_MS", 10)
    rig.states.states = [RUNNING, MISSING]

    with pytest.raises(JobNotFoundError):
        await rig.watch.wait_for("1", None)


async def test_a_stream_that_cannot_be_read_leaves_the_looks(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_POLL_MS", 10)
    rig.states.states = [RUNNING, RUNNING, DONE]
    rig.stream.fails(ScriptError("XREAD", "WRONGTYPE"))
    failures: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context))

    assert await rig.watch.wait_for("1", None) == DONE


async def test_closing_tells_whoever_waits(rig: Rig) -> None:
    waiting = await rig.waiting("1")

    await rig.watch.close()

    with pytest.raises(ClosedError, match=r"queue '\{q\}' is closed"):
        await waiting
    assert rig.stream.is_closed


def _reading(rig: Rig) -> asyncio.Task[None]:
    assert rig.watch._reading is not None
    return rig.watch._reading


class BlockingStream:
    """What each reading brings."""

    def __init__(self, *readings: Sequence[StoredEvent] | Exception) -> None:
        self.readings = list(readings)
        self.after: list[str] = []

    def read(self, question: ReadEvents, _: object) -> tuple[object, list[object]]:
        self.after.append(question.after_id)
        reading = self.readings.pop(0) if self.readings else ()
        if isinstance(reading, ScriptError):
            return reading, []
        if isinstance(reading, Exception):
            raise reading
        return reading, []

    def close(self) -> None:
        """Nothing to let go of."""


def blocking_watch(
    monkeypatch: pytest.MonkeyPatch, stream: BlockingStream, *states: FinishState
) -> FinishWatch:
    class Runner:
        def __init__(self) -> None:
            self.states = list(states)

        def run(self, _: object) -> FinishState:
            return self.states.pop(0) if len(self.states) > 1 else self.states[0]

    monkeypatch.setattr(blocking_reader_module, "Line", lambda *_, **__: stream)
    runner: Any = Runner()
    return FinishWatch(TARGET, runner, KEYS, Emitter())


def test_a_thread_follows_the_stream_from_where_it_looked(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = BlockingStream([completed("9", "8-0")], [failed("1")])

    assert blocking_watch(monkeypatch, stream, RUNNING).wait_for("1", None) == Failed("no")
    assert stream.after == ["5-0", "8-0"]


@pytest.mark.parametrize("error", [LOST, DOWN])
def test_a_thread_whose_reading_is_lost_looks_again(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    watch = blocking_watch(monkeypatch, BlockingStream(error), RUNNING, DONE)

    assert watch.wait_for("1", None) == DONE


def test_a_thread_is_told_that_the_stream_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = blocking_watch(monkeypatch, BlockingStream(ScriptError("XREAD", "no")), RUNNING)

    with pytest.raises(ScriptError):
        watch.wait_for("1", None)


@pytest.mark.parametrize("timeout_ms", [0, 20])
def test_a_thread_waits_no_longer_than_it_wants(
    monkeypatch: pytest.MonkeyPatch, timeout_ms: int
) -> None:
    watch = blocking_watch(monkeypatch, BlockingStream(), RUNNING)

    with pytest.raises(ResultTimeoutError):
        watch.wait_for("1", timeout_ms)


def test_threads_one_after_the_other_share_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = BlockingStream([completed("1")], [completed("2")])
    watch = blocking_watch(monkeypatch, stream, RUNNING)

    watch.wait_for("1", None)
    watch.wait_for("2", None)

    assert len(watch._idle) == 1
