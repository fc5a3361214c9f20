"""Every example runs, and prints what it says it prints."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.docs.markdown import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PROGRAMS = [path for path in EXAMPLES if not path.name.startswith("test_")]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_it_prints_what_it_says(path: Path, tmp_path: Path) -> None:
    text = path.read_text("utf-8")
    promised = re.findall(r"^# (.+)$", text.partition("\n# Prints:\n")[2], re.MULTILINE)

    ended = subprocess.run(
        [sys.executable, "-W", "error", path],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=15,
        check=False,
    )

    assert ended.returncode == 0, ended.stderr
    assert promised
    assert ended.stdout.splitlines() == promised
    assert "Exception ignored" not in ended.stderr, ended.stderr


def test_the_example_of_tests_passes(tmp_path: Path) -> None:
    example = ROOT / "examples/test_your_jobs.py"

    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir", tmp_path, example],
        cwd=tmp_path,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )

    assert ended.returncode == 0, ended.stdout
    assert "3 passed" in ended.stdout


def test_no_example_is_left_out() -> None:
    assert {path.name for path in EXAMPLES} - {path.name for path in PROGRAMS} == {
        "test_your_jobs.py"
    }
