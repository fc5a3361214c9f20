"""The `toril` command as a process, told by what it prints and by how it ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self


class Command:
    """A running `toril`; standard error is mixed into its output.

    Waiting reads its output, which ends with the process, so no wait outlives it; the timeout
    of the test is the limit of a process that goes on in silence.
    """

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.output: list[str] = []

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def text(self) -> str:
        return "".join(self.output)

    def wait_for(self, words: str, times: int = 1) -> list[str]:
        """The next lines with these words in them, this many."""
        found: list[str] = []
        while len(found) < times:
            line = self._read()
            assert line, f"it ended before it said {words!r} {times} times:\n{self.text}"
            if words in line:
                found.append(line)
        return found

    def tell(self, number: signal.Signals) -> Self:
        self.process.send_signal(number)
        return self

    def end(self) -> int:
        """Wait for its end; the exit code."""
        while self._read():
            pass
        return self.process.wait()

    def _read(self) -> str:
        assert self.process.stdout
        line = self.process.stdout.readline()
        self.output.append(line)
        return line


@contextmanager
def toril(*arguments: str, cwd: Path, **environment: str) -> Iterator[Command]:
    """Start it in a folder, without the variables that name a server; kill what is left of it."""
    inherited = {name: value for name, value in os.environ.items() if not name.endswith("_URL")}
    with subprocess.Popen(
        [sys.executable, "-m", "toril.cli", *arguments],
        cwd=cwd,
        env=inherited | {"PYTHONUNBUFFERED": "1"} | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield Command(process)
        finally:
            process.kill()
