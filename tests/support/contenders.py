"""Processes that contend for a lock, and say what they do."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

PROGRAM: Final = Path(__file__).with_name("contender.py")


class Contender:
    """A process of its own; its lines are JSON."""

    def __init__(self, url: str, verb: str, **settings: object) -> None:
        self._process: Final = subprocess.Popen(
            [sys.executable, str(PROGRAM), url, verb, json.dumps(settings)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def hear(self) -> Mapping[str, object]:
        """The next line it says; it has ended when there is none."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the process has ended"
        said: Mapping[str, object] = json.loads(line)
        return said

    def tell(self, word: str) -> None:
        """A line it waits for."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()

    def stop(self) -> None:
        os.kill(self._process.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        os.kill(self._process.pid, signal.SIGCONT)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()


@contextmanager
def contenders(count: int, url: str, verb: str, **settings: object) -> Iterator[list[Contender]]:
    """Several of one kind, gone when the block ends."""
    hired = [Contender(url, verb, **settings) for _ in range(count)]
    try:
        yield hired
    finally:
        for one in hired:
            one.__exit__()
