"""Whatever a handler returns or raises becomes an ending; nothing gets past the boundary."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from functools import partial
from typing import TypeAlias

import pytest
from tests.support.virtual_time import pass_ticks
from tests.unit.runtime.manual_source import ManualSource
from tests.unit.runtime.rig import GoOn, same, working

from toril.core.errors import BadInputError, PermanentError
from toril.core.outcome import Delay, Discard, GiveBack, Retry, Say
from toril.runtime import LoopExecutor, StopSignal, ThreadExecutor, is_async_handler
from toril.runtime.source import Ending, Raised, Returned, Said

ERRORS = [
    ValueError("oops"),
    asyncio.CancelledError(),
    KeyboardInterrupt(),
    SystemExit(1),
    GeneratorExit(),
    BaseExceptionGroup("several", [KeyboardInterrupt(), ValueError()]),
    RecursionError(),
    MemoryError(),
    TimeoutError("a timeout of its own"),
]
Execute: TypeAlias = Callable[[Callable[[], object]], Awaitable[Ending]]
SAID = [Retry(delay=5), Delay(until=5), GiveBack(), Discard("unwanted")]


async def in_loop(act: Callable[[], object]) -> Ending:
    async def handler(_job: str) -> object:
        return act()

    return await LoopExecutor(handler, bind=same).execute("job", GoOn())


async def in_thread(act: Callable[[], object]) -> Ending:

    def handler(_job: str) -> object:
        return act()

    executor = ThreadExecutor(handler, bind=same, threads=1)
    try:
        return await executor.execute("job", GoOn())
    finally:
        executor.close()


everywhere = pytest.mark.parametrize("execute", [in_loop, in_thread])


def raising(error: BaseException) -> Callable[[], object]:
    def act() -> object:
        raise error

    return act


@everywhere
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
async def test_whatever_is_raised_is_a_failure(execute: Execute, error: BaseException) -> None:
    assert await execute(raising(error)) == Raised(error)


@everywhere
async def test_a_permanent_error_is_final(
    execute: Execute,
) -> None:
    error = PermanentError("never")

    assert await execute(raising(error)) == Raised(error, final=True)


@everywhere
@pytest.mark.parametrize("what", SAID, ids=lambda what: type(what).__name__)
async def test_what_a_handler_says_is_heard_returned_or_raised(execute: Execute, what: Say) -> None:
    assert await execute(raising(what)) == Said(what)
    assert await execute(lambda: what) == Said(what)


@everywhere
async def test_a_message_that_looks_like_a_control_word_is_just_a_message(
    execute: Execute,
) -> None:
    error = ValueError("bullmq:rateLimitExceeded")

    assert await execute(raising(error)) == Raised(error)


async def test_a_job_that_cannot_be_bound_is_a_failure() -> None:
    async def handler(_job: object) -> None: ...

    def bind(_job: str, _signal: StopSignal) -> object:
        raise ValueError("unreadable")

    ending = await LoopExecutor(handler, bind=bind).execute("job", GoOn())

    assert isinstance(ending, Raised)


async def test_the_handler_gets_what_bind_makes_of_the_job() -> None:
    async def handler(job: str) -> str:
        return job

    ending = await LoopExecutor(handler, bind=lambda job, _signal: job.upper()).execute(
        "job", GoOn()
    )

    assert ending == Returned("JOB")


async def test_a_plain_function_that_returns_a_coroutine_is_told_so() -> None:
    async def forgotten() -> None: ...

    ending = await in_thread(forgotten)

    assert isinstance(ending, Raised)
    assert isinstance(ending.error, BadInputError)
    assert "async def" in str(ending.error)


async def test_a_thread_sees_the_context_of_its_job() -> None:
    variable: ContextVar[str] = ContextVar("variable", default="unset")
    variable.set("set")

    assert await in_thread(variable.get) == Returned("set")


async def test_a_call_cancelled_before_a_thread_took_it_never_starts() -> None:
    gate, started, ran = threading.Event(), threading.Event(), []

    def first(job: str) -> None:
        ran.append(job)
        started.set()
        assert gate.wait(5)

    executor = ThreadExecutor(first, bind=same, threads=1)
    one = asyncio.create_task(executor.execute("one", GoOn()))
    assert await asyncio.to_thread(started.wait, 5)
    two = asyncio.create_task(executor.execute("two", GoOn()))
    await pass_ticks()
    two.cancel()
    await asyncio.wait([two])
    gate.set()
    await one
    executor.close()

    assert ran == ["one"]


async def test_closing_ends_idle_threads_and_leaves_stuck_ones() -> None:
    gate, started = threading.Event(), threading.Event()

    def handler(job: str) -> None:
        if job == "stuck":
            started.set()
            assert gate.wait(5)

    executor = ThreadExecutor(handler, bind=same, threads=3)
    for job in ("a", "b"):
        await executor.execute(job, GoOn())
    stuck = asyncio.create_task(executor.execute("stuck", GoOn()))
    assert await asyncio.to_thread(started.wait, 5)

    executor.close()

    left = [thread for thread in threading.enumerate() if thread.name.startswith("toril handler")]
    gate.set()
    await stuck
    assert len(left) == 1
    assert left[0].daemon
    left[0].join(5)


class Handling:
    async def __call__(self, _job: object) -> None: ...


def test_coroutine_functions_are_recognised_in_every_dress() -> None:
    async def function(_extra: object, _job: object) -> None: ...

    assert is_async_handler(function)
    assert is_async_handler(partial(function, 1))
    assert is_async_handler(partial(partial(function, 1)))
    assert is_async_handler(Handling())
    assert is_async_handler(Handling().__call__)
    assert not is_async_handler(print)
    assert not is_async_handler(lambda job: job)
    assert not is_async_handler(str)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
async def test_a_worker_lives_on_whatever_its_handler_raises(error: BaseException) -> None:
    source = ManualSource()

    async def handler(job: str) -> str:
        if job == "bad":
            raise error
        return job

    async with working(source, handler) as rig:
        (await source.next_exchange()).answer("bad")
        call = await source.next_exchange()
        assert call.outcomes[0].ending == Raised(error)
        call.answer("good")

        assert (await source.next_exchange()).outcomes[0].ending == Returned("good")
        source.let_go()
        rig.engine.drain()
        await rig.ended()
