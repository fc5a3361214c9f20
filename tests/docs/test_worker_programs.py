"""The worker of the guide runs as the guide says, as a program and by the command."""

import shlex
import sys
from pathlib import Path
from typing import Final

import pytest
from tests.docs.markdown import ROOT, Page
from tests.docs.play import LOCALHOST
from tests.docs.programs import running, write_program

from toril import Queue

GUIDE: Final = "docs/how-to/run-workers.md"


@pytest.fixture
def folder(redis_url: str, tmp_path: Path) -> Path:
    for name in ("handlers.py", "worker.py"):
        write_program(GUIDE, name, redis_url, tmp_path)
    return tmp_path


def test_the_program_works(folder: Path, redis_url: str) -> None:
    with Queue("mail", redis_url) as queue, running(sys.executable, "worker.py", folder=folder):
        result = queue.add("welcome").result(timeout=10)

    assert result == {"sent": "welcome"}


def test_the_command_works(folder: Path, redis_url: str) -> None:
    [line, *_] = [b.text for b in Page(ROOT / GUIDE).blocks if b.language == "console"]
    words = shlex.split(line.replace(LOCALHOST, redis_url))
    command = (sys.executable, "-m", "toril.cli", *words[words.index("toril") + 1 :])

    with Queue("mail", redis_url) as queue, running(*command, folder=folder):
        assert queue.add("welcome").result(timeout=10) == {"sent": "welcome"}
