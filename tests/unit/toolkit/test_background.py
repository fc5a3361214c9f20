"""What goes on in the background begins, ends and is not inherited by a fork."""

import asyncio
import os
import threading
import traceback
from collections.abc import Callable

from toril.toolkit import background


class Steps:
    """A duty that tells where it is."""

    def __init__(self) -> None:
        self.began = threading.Event()
        self.cleaned_up = threading.Event()

    async def run(self) -> None:
        self.began.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.cleaned_up.set()


def succeeds_in_a_fork(act: Callable[[], None]) -> bool:
    child = os.fork()
    if not child:
        code = 1
        try:
            act()
            code = 0
        except AssertionError:
            traceback.print_exc()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == 0


def test_a_duty_runs_until_it_is_ended() -> None:
    steps = Steps()

    duty = background.begin(steps.run())
    assert steps.began.wait(5)
    assert not steps.cleaned_up.is_set()

    duty.end()
    assert steps.cleaned_up.is_set()


def test_duties_share_one_thread_which_ends_with_the_last() -> None:
    def act() -> None:
        first, second = Steps(), Steps()
        one, other = background.begin(first.run()), background.begin(second.run())
        assert first.began.wait(5)
        assert second.began.wait(5)
        [thread] = [thread for thread in threading.enumerate() if thread.name == "toril toolkit"]

        one.end()
        assert thread.is_alive()
        other.end()
        thread.join(5)

        assert not thread.is_alive()

    # Where nobody else has duties in that thread.
    assert succeeds_in_a_fork(act)


def test_a_duty_that_begins_while_the_last_one_ends_is_not_lost() -> None:
    for _ in range(50):
        leaving = Steps()
        duty = background.begin(leaving.run())
        assert leaving.began.wait(5)
        duty.end(wait=False)

        coming = Steps()
        next_duty = background.begin(coming.run())
        assert coming.began.wait(5)
        next_duty.end()


def test_a_duty_is_called_in_its_loop() -> None:
    steps = Steps()
    called = threading.Event()
    duty = background.begin(steps.run())

    duty.call(called.set)

    assert called.wait(5)
    duty.end()


def test_a_duty_that_fails_is_over_like_any_other() -> None:
    async def fail() -> None:
        raise OSError("disk")

    duty = background.begin(fail())
    duty.end()


def test_a_fork_has_no_duties_and_can_begin_its_own() -> None:
    steps = Steps()
    duty = background.begin(steps.run())
    assert steps.began.wait(5)

    def act() -> None:
        duty.end()  # not its own: nothing to wait for
        own = Steps()
        background.begin(own.run())
        assert own.began.wait(5)
        assert not steps.cleaned_up.is_set()

    assert succeeds_in_a_fork(act)
    duty.end()
