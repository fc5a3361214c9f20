"""The first signal drains, the second stops at once, and afterwards all is as it was."""

import signal
import threading

import pytest

from toril.runtime import stop_signals


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_each_further_signal_is_more_urgent(number: int) -> None:
    heard: list[str] = []

    with stop_signals(first=lambda: heard.append("drain"), second=lambda: heard.append("stop")):
        for _ in range(3):
            signal.raise_signal(number)

    assert heard == ["drain", "stop", "stop"]


def test_the_two_signals_count_together() -> None:
    heard: list[str] = []

    with stop_signals(first=lambda: heard.append("drain"), second=lambda: heard.append("stop")):
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)

    assert heard == ["drain", "stop"]


def test_the_handlers_of_before_are_put_back() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]

    with pytest.raises(ValueError, match="oops"), stop_signals(first=print, second=print):
        raise ValueError("oops")

    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_another_thread_leaves_signals_alone() -> None:
    before, during = signal.getsignal(signal.SIGTERM), []

    def elsewhere() -> None:
        with stop_signals(first=print, second=print):
            during.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join(5)

    assert during == [before]
