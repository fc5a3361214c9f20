"""No token is given twice: not to threads, and not to the forks of one process."""

import os
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.forks import in_fork, silent_fork

from toril.toolkit.tokens import new_token


def test_a_token_is_of_letters_that_no_stored_shape_divides_by() -> None:
    assert re.fullmatch(r"[0-9a-f]{24}-\d+", new_token())


def test_threads_are_given_different_ones() -> None:
    drawn: list[str] = []
    threads = [
        threading.Thread(target=lambda: drawn.extend([new_token() for _ in range(2_000)]))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(set(drawn)) == len(drawn) == 16_000


@pytest.mark.parametrize("fork", [os.fork, silent_fork], ids=["Python", "C"])
def test_forks_are_given_different_ones(tmp_path: Path, fork: Callable[[], int]) -> None:
    def note(name: str) -> bool:
        (tmp_path / name).write_text(new_token())
        return True

    assert in_fork(lambda: note("one"), fork)
    assert in_fork(lambda: note("other"), fork)

    own = new_token()
    assert len({own, (tmp_path / "one").read_text(), (tmp_path / "other").read_text()}) == 3
