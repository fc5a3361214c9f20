"""What is written down while a scenario plays, and what went wrong with the play itself."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.support.journal import Entry, Journal, read_journal


class Record:
    """The journal of a scenario: every process appends to it, and the judge reads it."""

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        self.journal: Final = Journal(path)
        self.problems: Final[list[str]] = []
        self._numbers = 0

    def fault(self, what: str, pid: int = 0) -> None:
        """Note that something bad is about to be done, and to which process."""
        self.journal.write("fault", what, number=pid)

    def healed(self, what: str = "") -> None:
        """Note that it is over, and that recovery is due."""
        self.journal.write("healed", what)

    def problem(self, text: str) -> None:
        """Note what no scenario means to happen."""
        self.problems.append(text)

    def name(self, kind: str) -> str:
        """A name that nothing else of the scenario has."""
        self._numbers += 1
        return f"{kind}-{self._numbers}"

    def count(self, what: str) -> int:
        """How many lines of this kind there are by now."""
        return sum(entry.what == what for entry in self.entries())

    def entries(self) -> Iterator[Entry]:
        """All of it, read anew."""
        return read_journal(self.path)

    def close(self) -> None:
        self.journal.close()
