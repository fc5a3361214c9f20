"""The number of this process is right without asking for it."""

import os
from pathlib import Path

from tests.support.forks import in_fork

from toril.core.chance import CHANCE
from toril.core.process import process_id


def test_it_is_what_the_system_says() -> None:
    assert process_id() == os.getpid()


def test_a_fork_has_its_own() -> None:
    parent = process_id()

    assert in_fork(lambda: process_id() == os.getpid() != parent)


def test_a_fork_throws_dice_of_its_own(tmp_path: Path) -> None:
    def note() -> bool:
        (tmp_path / "fork").write_text(str(CHANCE.random()))
        return True

    assert in_fork(note)

    assert (tmp_path / "fork").read_text() != str(CHANCE.random())
