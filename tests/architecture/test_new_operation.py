"""What the scaffold writes is a model: it runs, and it passes the checks as it is."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tools.new_operation import new_files

ROOT = Path.cwd()


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package in which one operation was started."""
    shutil.copytree(ROOT / "src", tmp_path / "src")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for path, text in new_files("bullmq", "finish", "poke_job").items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "check",
    [
        ("ruff", "check", "--no-cache", "tests", "src/toril/bullmq/operations/finish/poke_job.py"),
        ("ruff", "format", "--no-cache", "--check", "tests"),
        ("pytest", "--quiet", "--config-file=/dev/null", "--rootdir=.", "tests/unit"),
    ],
    ids=["linted", "formatted", "tested"],
)
def test_what_it_writes_is_clean(copy: Path, check: tuple[str, ...]) -> None:
    result = subprocess.run(
        [sys.executable, "-m", *check],
        cwd=copy,
        env={"PYTHONPATH": "src", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert result.returncode == 0, result.stdout + result.stderr


def test_it_leaves_the_packages_that_exist_alone() -> None:
    paths = new_files("bullmq", "finish", "poke_job")

    assert not any(path.exists() for path in paths)
