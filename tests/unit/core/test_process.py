"""The number of this process is right, and a fork is noticed whoever made it."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.forks import in_fork, silent_fork

from toril.core.chance import CHANCE
from toril.core.process import known_process_id, process_id

FORKS = pytest.mark.parametrize("fork", [os.fork, silent_fork], ids=["Python", "C"])


def test_it_is_what_the_system_says() -> None:
    assert process_id() == known_process_id() == os.getpid()


@FORKS
def test_a_fork_has_its_own(fork: Callable[[], int]) -> None:
    parent = process_id()

    assert in_fork(lambda: process_id() == known_process_id() == os.getpid() != parent, fork)


@FORKS
def test_a_fork_throws_dice_of_its_own(tmp_path: Path, fork: Callable[[], int]) -> None:
    def note() -> bool:
        process_id()
        (tmp_path / "fork").write_text(str(CHANCE.random()))
        return True

    assert in_fork(note, fork)

    assert (tmp_path / "fork").read_text() != str(CHANCE.random())
