"""A loop in a thread of its own runs coroutines for those who have none."""

import asyncio
import signal
import threading
from concurrent.futures import CancelledError

import pytest
from tests.support.virtual_time import for_ever, pass_ticks, pass_time

from toril.runtime import LoopThread


async def thread_name() -> str:
    return threading.current_thread().name


async def fails() -> None:
    raise ValueError("oops")


def test_coroutines_run_in_the_thread_and_their_results_come_back() -> None:
    with LoopThread("worker") as loop:
        assert loop.run(thread_name()) == "toril worker"


def test_errors_come_back_too() -> None:
    with LoopThread("worker") as loop, pytest.raises(ValueError, match="oops"):
        loop.run(fails())


def test_leaving_cancels_what_still_runs_and_ends_the_thread() -> None:
    cancelled: list[bool] = []

    async def waits() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    async def starts() -> asyncio.Task[None]:
        task = asyncio.create_task(waits())
        await pass_ticks()
        return task

    with LoopThread("worker") as loop:
        loop.run(starts())

    assert cancelled == [True]
    assert all(thread.name != "toril worker" for thread in threading.enumerate())


def test_a_loop_thread_that_was_not_entered_says_so() -> None:
    with pytest.raises(RuntimeError, match="not entered"):
        LoopThread("worker").run(thread_name())


def test_a_wait_that_a_signal_breaks_off_lets_the_coroutine_clean_up() -> None:
    cleaned: list[bool] = []

    async def works() -> None:
        try:
            await pass_time(0.05)
            signal.raise_signal(signal.SIGTERM)
            await for_ever()
        finally:
            await pass_time(0.05)
            cleaned.append(True)

    def interrupt(_number: int, _frame: object) -> None:
        raise InterruptedError

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        with pytest.raises(InterruptedError), LoopThread("worker") as loop:
            loop.run(works())
    finally:
        signal.signal(signal.SIGTERM, before)

    assert cleaned == [True]


def test_a_loop_that_is_over_runs_nothing_more() -> None:
    with LoopThread("worker") as loop:
        pass

    with pytest.raises(CancelledError):
        loop.run(thread_name())
