"""A producer's name and number are its own: in every thread, and after a fork."""

import os
import sys
import threading
from collections.abc import Callable, Iterator

import pytest
from tests.support.forks import in_fork, silent_fork

from toril.bullmq.producer_id import ProducerId


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Threads take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def test_requests_are_numbered_in_order_under_one_name() -> None:
    producer = ProducerId()

    first, second = producer.next(), producer.next()

    assert first[0] == second[0]
    assert first[1] < second[1]


def test_two_producers_have_two_names() -> None:
    assert ProducerId().next()[0] != ProducerId().next()[0]


def test_a_single_request_has_a_name_of_its_own() -> None:
    producer = ProducerId()

    names = {producer.once(), producer.once(), producer.next()[0]}

    assert len(names) == 3


@pytest.mark.usefixtures("hasty_threads")
def test_threads_never_draw_the_same_number() -> None:
    """Two requests with one number: the server would answer the second with the first's jobs."""
    producer = ProducerId()
    drawn: list[str] = []

    def draw() -> None:
        for _ in range(2_000):
            drawn.append(producer.once())  # noqa: PERF401 - the turns between the calls matter

    threads = [threading.Thread(target=draw) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(set(drawn)) == len(drawn) == 16_000


@pytest.mark.parametrize("fork", [os.fork, silent_fork], ids=["Python", "C"])
def test_a_forked_process_is_another_producer(fork: Callable[[], int]) -> None:
    producer = ProducerId()
    name, _ = producer.next()

    assert in_fork(lambda: producer.next()[0] != name, fork)
