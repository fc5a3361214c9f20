"""Calls travel together in order, and everybody gets an answer of their own."""

import asyncio
import threading
from collections.abc import Callable, Sequence

import pytest

from toril.connection import AsyncCoalescer, Coalescer

_PATIENCE_S = 10.0
_TURNS_OF_A_FLIGHT = 5


async def _turns(count: int) -> None:
    """Let the loop go round."""
    for _ in range(count):
        turned = asyncio.Event()
        asyncio.get_running_loop().call_soon(turned.set)
        await turned.wait()


class _Sender:
    """Remembers its batches; holds the first one back until `gate` is set."""

    def __init__(self, gate: asyncio.Event | None = None) -> None:
        self.batches: list[list[int]] = []
        self.began = asyncio.Event()
        self._gate = gate

    async def __call__(self, items: Sequence[int]) -> Sequence[int | Exception]:
        self.batches.append(list(items))
        self.began.set()
        await _turns(_TURNS_OF_A_FLIGHT)
        if self._gate:
            await self._gate.wait()
        return [ValueError(item) if item < 0 else item * 10 for item in items]


def _coalescer(
    sender: _Sender, *, max_items: int = 100, max_bytes: int = 1_000
) -> AsyncCoalescer[int, int]:
    return AsyncCoalescer(sender, max_items=max_items, max_bytes=max_bytes, size=abs)


def _open_gate() -> asyncio.Event:
    gate = asyncio.Event()
    gate.set()
    return gate


async def _until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(_PATIENCE_S):
        while not is_so():
            await _turns(1)


async def test_calls_of_one_turn_are_one_batch() -> None:
    sender = _Sender()
    coalescer = _coalescer(sender)

    results = await asyncio.gather(*(coalescer.submit(item) for item in (1, 2, 3)))

    assert results == [10, 20, 30]
    assert sender.batches == [[1, 2, 3]]


async def test_what_comes_during_a_flight_is_the_next_batch() -> None:
    gate = asyncio.Event()
    sender = _Sender(gate)
    coalescer = _coalescer(sender)
    first = asyncio.create_task(coalescer.submit(1))
    await sender.began.wait()
    others = [asyncio.create_task(coalescer.submit(item)) for item in (2, 3)]
    gate.set()

    assert await asyncio.gather(first, *others) == [10, 20, 30]
    assert sender.batches == [[1], [2, 3]]


async def test_many_that_come_during_a_flight_go_out_beside_it() -> None:
    gate = _open_gate()
    sender = _Sender(gate)
    coalescer = _coalescer(sender, max_bytes=10_000)
    await coalescer.submit(1)
    gate.clear()
    first = asyncio.create_task(coalescer.submit(2))
    await _until(lambda: len(sender.batches) == 2)
    others = [asyncio.create_task(coalescer.submit(item)) for item in range(100, 120)]
    await _until(lambda: len(sender.batches) == 3)
    gate.set()

    assert await asyncio.gather(first, *others) == [20, *range(1_000, 1_200, 10)]
    assert sender.batches == [[1], [2], list(range(100, 120))]


async def test_never_more_than_two_batches_are_in_flight() -> None:
    gate = _open_gate()
    sender = _Sender(gate)
    coalescer = _coalescer(sender, max_bytes=10_000)
    await coalescer.submit(1)
    gate.clear()
    calls = []
    for turn in range(5):
        calls += [asyncio.create_task(coalescer.submit(turn)) for _ in range(20)]
        await _turns(2)
    assert len(sender.batches) == 3
    gate.set()

    await asyncio.gather(*calls)
    assert [len(batch) for batch in sender.batches] == [1, 20, 20, 60]


async def test_the_very_first_batch_is_never_overtaken() -> None:
    gate = asyncio.Event()
    sender = _Sender(gate)
    coalescer = _coalescer(sender, max_bytes=10_000)
    first = asyncio.create_task(coalescer.submit(1))
    await sender.began.wait()
    others = [asyncio.create_task(coalescer.submit(2)) for _ in range(40)]
    await _turns(5)
    assert sender.batches == [[1]]
    gate.set()

    await asyncio.gather(first, *others)
    assert [len(batch) for batch in sender.batches] == [1, 40]


async def test_the_callers_of_a_large_batch_come_back_as_two() -> None:
    sender = _Sender()
    coalescer = _coalescer(sender, max_bytes=10_000)

    async def call_twice() -> None:
        await coalescer.submit(1)
        await coalescer.submit(2)

    await asyncio.gather(*(call_twice() for _ in range(40)))

    assert [len(batch) for batch in sender.batches] == [40, 20, 20]


@pytest.mark.parametrize(
    ("max_items", "max_bytes", "batches"),
    [
        (2, 1_000, [[5, 6], [7, 8], [9]]),
        (100, 13, [[5, 6], [7], [8], [9]]),
        (100, 1, [[5], [6], [7], [8], [9]]),
    ],
)
async def test_batches_are_bounded_in_count_and_bytes(
    max_items: int, max_bytes: int, batches: list[list[int]]
) -> None:
    sender = _Sender()
    coalescer = _coalescer(sender, max_items=max_items, max_bytes=max_bytes)

    await asyncio.gather(*(coalescer.submit(item) for item in range(5, 10)))

    assert sender.batches == batches


async def test_each_caller_gets_its_own_error() -> None:
    coalescer = _coalescer(_Sender())

    results = await asyncio.gather(
        *(coalescer.submit(item) for item in (1, -2, 3)), return_exceptions=True
    )

    assert results[0::2] == [10, 30]
    assert isinstance(results[1], ValueError)


async def test_a_failed_batch_fails_its_callers_and_no_others() -> None:
    sent: list[list[int]] = []

    async def send(items: Sequence[int]) -> Sequence[int]:
        sent.append(list(items))
        if len(sent) == 1:
            raise OSError("gone")
        return items

    coalescer: AsyncCoalescer[int, int] = AsyncCoalescer(send, max_items=2, max_bytes=100, size=abs)

    results = await asyncio.gather(
        *(coalescer.submit(item) for item in (1, 2, 3)), return_exceptions=True
    )

    assert [type(result) for result in results] == [OSError, OSError, int]


async def test_a_cancelled_caller_takes_its_item_back() -> None:
    gate = asyncio.Event()
    sender = _Sender(gate)
    coalescer = _coalescer(sender)
    first = asyncio.create_task(coalescer.submit(1))
    await sender.began.wait()
    waiting = [asyncio.create_task(coalescer.submit(item)) for item in (2, 3)]
    await asyncio.sleep(0)  # noqa: TID251 - one turn of the loop, for both to begin
    waiting[0].cancel()
    gate.set()

    assert await first == 10
    assert await waiting[1] == 30
    assert sender.batches == [[1], [3]]


async def test_a_caller_cancelled_in_flight_does_not_cancel_the_others() -> None:
    gate = asyncio.Event()
    sender = _Sender(gate)
    coalescer = _coalescer(sender)
    tasks = [asyncio.create_task(coalescer.submit(item)) for item in (1, 2)]
    await sender.began.wait()
    tasks[0].cancel()
    gate.set()

    assert await tasks[1] == 20
    assert tasks[0].cancelled()


def _blocking(
    send: Callable[[Sequence[int]], Sequence[int | Exception]], *, max_items: int = 100
) -> Coalescer[int, int]:
    return Coalescer(send, max_items=max_items, max_bytes=1_000_000, size=abs)


def test_one_thread_alone_sends_its_own() -> None:
    coalescer = _blocking(lambda items: [item * 10 for item in items])

    assert [coalescer.submit(item) for item in (1, 2)] == [10, 20]


def test_threads_gather_behind_the_one_that_sends() -> None:
    batches: list[list[int]] = []
    is_sending, go_on = threading.Event(), threading.Event()

    def send(items: Sequence[int]) -> Sequence[int | Exception]:
        batches.append(list(items))
        is_sending.set()
        assert go_on.wait(_PATIENCE_S)
        return [ValueError(item) if item < 0 else item * 10 for item in items]

    coalescer = _blocking(send)
    results: dict[int, object] = {}

    def submit(item: int) -> None:
        try:
            results[item] = coalescer.submit(item)
        except ValueError as error:
            results[item] = error

    threads = [threading.Thread(target=submit, args=(item,)) for item in (1, 2, -3)]
    threads[0].start()
    assert is_sending.wait(_PATIENCE_S)
    for thread in threads[1:]:
        thread.start()
    while len(coalescer._waiting) < 2:
        threads[1].join(0.001)
    go_on.set()
    for thread in threads:
        thread.join(_PATIENCE_S)

    assert batches[0] == [1]
    assert sorted(batches[1]) == [-3, 2]
    assert (results[1], results[2]) == (10, 20)
    assert isinstance(results[-3], ValueError)


def test_many_threads_all_get_their_answers() -> None:
    coalescer = _blocking(lambda items: [item * 10 for item in items], max_items=7)
    answers: list[tuple[int, int]] = []

    def submit(base: int) -> None:
        answers.extend((item, coalescer.submit(item)) for item in range(base, base + 200))

    threads = [threading.Thread(target=submit, args=(n * 1_000,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(_PATIENCE_S)

    assert len(answers) == 1_600
    assert all(answer == item * 10 for item, answer in answers)


def test_a_failed_batch_does_not_stop_the_next_thread() -> None:
    def send(items: Sequence[int]) -> Sequence[int]:
        if 1 in items:
            raise OSError("gone")
        return items

    coalescer = _blocking(send)

    with pytest.raises(OSError, match="gone"):
        coalescer.submit(1)
    assert coalescer.submit(2) == 2
