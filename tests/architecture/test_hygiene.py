"""What is true on one machine only, or unfinished, does not stay in the repository."""

from pathlib import Path

import pytest
from tools.check_hygiene import decision_faults, stray_texts


def test_the_repository_has_none_of_it() -> None:
    assert [*stray_texts(Path()), *decision_faults(Path())] == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("see /" + "home/ada/notes\n", "a path of one machine"),
        ("from pypi" + ".org\n", "the host of a registry"),
        ("# TO" + "DO: later\n", "unfinished work"),
        ("<" * 7 + " HEAD\n", "a conflict marker"),
        ("word \n", "space at the end of a line"),
        ("word", "the last line has no end"),
    ],
)
def test_a_stray_text_is_reported(tmp_path: Path, text: str, what: str) -> None:
    (tmp_path / "page.md").write_text(text)

    [finding] = stray_texts(tmp_path)

    assert what in finding


@pytest.mark.parametrize("made", [".venv", "node_modules", "__pycache__"])
def test_folders_that_are_made_are_passed_over(tmp_path: Path, made: str) -> None:
    (tmp_path / made).mkdir()
    (tmp_path / made / "page.md").write_text("word \n")

    assert list(stray_texts(tmp_path)) == []


@pytest.mark.parametrize("second", ["0001-b", "0003-b", "b"])
def test_a_decision_has_the_next_number(tmp_path: Path, second: str) -> None:
    decisions = tmp_path / "docs/adr"
    decisions.mkdir(parents=True)
    (decisions / "0001-a.md").touch()
    (decisions / f"{second}.md").touch()

    [finding] = decision_faults(tmp_path)

    assert f"{second}.md: the next decision has number 0002" in finding
