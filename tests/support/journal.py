"""What happened, written down so that it survives whoever wrote it.

Any number of processes append to one file, a line at a time, each line in one `write`: what a
process had written before it was killed is there, whole, and in order.
"""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

# A program that pretends to have another time still writes the real one.
_real_time_ns: Final = time.time_ns

_BLANKS: Final = str.maketrans("\t\r\n", "   ")
_MOST_BYTES: Final = 4_096
"""What one `write` appends without another process coming in between."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line. `at` is the machine's monotonic clock, the same for every process."""

    what: str
    subject: str
    number: int
    note: str
    pid: int
    at: float
    wall_ms: int

    @classmethod
    def read(cls, line: str) -> Self:
        what, subject, number, pid, at_ns, wall_ns, note = line.rstrip("\n").split("\t")
        return cls(
            what, subject, int(number), note, int(pid), int(at_ns) / 1e9, int(wall_ns) // 1_000_000
        )


class Journal:
    """Appends; one for each process, or shared by its threads."""

    def __init__(self, path: Path | str) -> None:
        self._file: Final = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC)

    def write(self, what: str, subject: str, *, number: int = 0, note: str = "") -> None:
        """Note that this happened to the subject, now; when it returns, the line is in the file."""
        moments = f"{os.getpid()}\t{time.monotonic_ns()}\t{_real_time_ns()}"
        line = f"{what}\t{subject}\t{number}\t{moments}\t{note.translate(_BLANKS)}"
        os.write(self._file, line.encode("utf-8", "replace")[: _MOST_BYTES - 1] + b"\n")

    def close(self) -> None:
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_journal(path: Path) -> Iterator[Entry]:
    """Every line, in the order in which they were written."""
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            yield Entry.read(line)
