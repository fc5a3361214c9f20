"""What is stored of an error is never empty, always encodable, and of bounded size."""

import sys
from collections.abc import Callable
from time import monotonic

import pytest

from toril.bullmq.worker.failure import (
    FRAMES,
    REASON_LIMIT,
    TRACE_LIMIT,
    reason_of,
    trace_of,
    with_trace,
)

SLACK = 60
"""The line that says how much was left out."""


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


class NumberError(Exception):
    def __str__(self) -> str:
        return 7  # type: ignore[return-value]  # noqa: PLE0307


class EndlessError(Exception):
    def __str__(self) -> str:
        return str(self)


def raised(error: BaseException) -> BaseException:
    try:
        raise error  # noqa: TRY301
    except BaseException as caught:  # noqa: BLE001
        return caught


def chain(length: int) -> BaseException:
    error: BaseException = ValueError("the first")
    for number in range(length):
        outer = ValueError(f"number {number}")
        outer.__cause__ = error
        error = outer
    return error


def deep(depth: int) -> BaseException:
    def dive(left: int) -> None:
        if left:
            dive(left - 1)
        raise ValueError("at the bottom")

    try:
        dive(depth)
    except ValueError as error:
        return error
    raise AssertionError


def circle() -> BaseException:
    one, other = ValueError("one"), ValueError("other")
    one.__cause__, other.__cause__ = other, one
    return one


STRANGE: dict[str, Callable[[], BaseException]] = {
    "no message": ValueError,
    "an empty message": lambda: ValueError(""),
    "a message that raises": MuteError,
    "a message that is a number": NumberError,
    "a message without end": EndlessError,
    "a lone surrogate": lambda: ValueError("cut \ud83d here"),
    "a message of 10 MB": lambda: ValueError("ä" * 10_000_000),
    "a cause of 10 MB": lambda: raised_from("x" * 10_000_000),
    "causes in a circle": circle,
    "300 causes": lambda: chain(300),
    "a deep stack": lambda: deep(sys.getrecursionlimit() // 2),
    "a group in a group": lambda: ExceptionGroup(
        "out", [ExceptionGroup("in", [ValueError(str(n)) for n in range(1_000)])]
    ),
    "not an ordinary error": KeyboardInterrupt,
    "a null byte": lambda: ValueError("a\0b"),
}

strange = pytest.mark.parametrize("make", list(STRANGE.values()), ids=list(STRANGE))


def raised_from(message: str) -> BaseException:
    error = ValueError("short")
    error.__cause__ = ValueError(message)
    return error


@strange
def test_there_is_always_a_reason_that_can_be_stored(make: Callable[[], BaseException]) -> None:
    reason = reason_of(raised(make()))

    assert reason.strip()
    assert reason.encode()
    assert len(reason) <= REASON_LIMIT + SLACK


@strange
def test_there_is_always_a_trace_that_can_be_stored(make: Callable[[], BaseException]) -> None:
    error = make()
    began = monotonic()

    trace = trace_of(error)

    assert type(error).__name__ in trace
    assert trace.encode()
    assert len(trace) <= TRACE_LIMIT + SLACK
    assert monotonic() - began < 2


def test_the_reason_is_the_message_alone() -> None:
    assert reason_of(ValueError("the address is wrong")) == "the address is wrong"


@pytest.mark.parametrize("error", [ValueError(), MuteError(), EndlessError()])
def test_the_reason_of_an_error_without_a_message_is_its_type(error: Exception) -> None:
    assert reason_of(error) == type(error).__name__


def test_a_long_reason_keeps_both_its_ends() -> None:
    reason = reason_of(ValueError("begin" + "x" * 100_000 + "end"))

    assert reason.startswith("begin")
    assert reason.endswith("end")
    assert "characters left out" in reason


def test_a_trace_has_the_innermost_frames_and_the_causes() -> None:
    try:
        try:
            int("x")
        except ValueError as error:
            raise RuntimeError("outer") from error
    except RuntimeError as error:
        trace = trace_of(error)

    assert "invalid literal" in trace
    assert trace.endswith("RuntimeError: outer\n")
    assert trace_of(deep(5 * FRAMES)).count("in dive") <= FRAMES


@pytest.mark.parametrize(
    ("limit", "kept"),
    [(None, ["a", "b", "c"]), (5, ["a", "b", "c"]), (2, ["b", "c"]), (1, ["c"]), (0, [])],
)
def test_the_newest_traces_stay(limit: int | None, kept: list[str]) -> None:
    assert with_trace(["a", "b"], "c", limit) == kept
