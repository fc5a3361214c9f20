"""Starts processes that read and change what a cache keeps, and judges what they have seen."""

import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple, Self

_END_S: Final = 20.0


class Sight(NamedTuple):
    """A version that was seen, at last by a read that began then."""

    key: str
    version: int
    began: float
    late_s: float
    """How long a newer version had been certain by then; 0 or less when none was."""


@dataclass(frozen=True)
class Play:
    """What all processes have seen."""

    sights: Sequence[Sight]
    reads: int
    loads: int
    writes: int
    errors: Mapping[str, int]

    @property
    def latest(self) -> Sight:
        """The worst of all sights."""
        return max(self.sights, key=lambda sight: sight.late_s)

    def from_before(self, moment: float) -> list[Sight]:
        """What was seen after this moment, although something newer was certain before it."""
        return [
            sight
            for sight in self.sights
            if sight.began > moment and sight.late_s > sight.began - moment
        ]


class CacheTheatre:
    """Readers of both colours and two writers, each a process, while the block lasts.

    `cache` is where the readers find the cache; the writers find it at `steady`.
    """

    def __init__(self, *, cache: str, steady: str, truth: str, readers: int, seed: int) -> None:
        chance = random.Random(seed)
        roles = [("async reader", "reader")[number % 2] for number in range(readers)]
        self._parts: Final[list[dict[str, Any]]] = [
            {
                "role": role,
                "cache": steady if role == "writer" else cache,
                "truth": truth,
                "seed": chance.random(),
            }
            for role in [*roles, "writer", "writer"]
        ]
        self._stack: Final = ExitStack()

    def __enter__(self) -> Self:
        folder = Path(self._stack.enter_context(TemporaryDirectory()))
        for number, part in enumerate(self._parts):
            part["notes"] = str(folder / f"{number}.json")
        self._troupe = self._stack.enter_context(_troupe(self._parts))
        assert self._troupe.stdout is not None
        self._pids: list[int] = json.loads(self._troupe.stdout.readline())
        return self

    def __exit__(self, *_: object) -> None:
        for pid in self._pids if self._troupe.poll() is None else ():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._stack.close()

    def stop_a_reader(self) -> AbstractContextManager[None]:
        """For the block one reader does not run, and does not know."""
        return _stopped(self._pids[0])

    def end(self) -> Play:
        """Stop all of them, and judge."""
        assert self._troupe.stdin is not None
        self._troupe.stdin.close()
        assert self._troupe.wait(_END_S) == 0
        notes = [json.loads(Path(part["notes"]).read_text("utf-8")) for part in self._parts]
        done = [entry for note in notes for entry in note["done"]]
        return Play(
            sights=list(_sights(notes, _newer(done))),
            reads=sum(note["reads"] for note in notes),
            loads=sum(note["loads"] for note in notes),
            writes=len(done),
            errors=sum((Counter(note["errors"]) for note in notes), Counter()),
        )


@contextmanager
def _stopped(pid: int) -> Iterator[None]:
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def _troupe(parts: Sequence[Mapping[str, Any]]) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.cache_actors", json.dumps(parts)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _newer(done: Sequence[tuple[str, int, float]]) -> dict[str, list[tuple[int, float]]]:
    """By key, newest version first: a version, and when it or a newer one was certain."""
    newer: dict[str, list[tuple[int, float]]] = {}
    for key, version, at in sorted(done, key=lambda entry: -entry[1]):
        line = newer.setdefault(key, [])
        line.append((version, min(at, line[-1][1] if line else at)))
    return newer


def _sights(
    notes: Sequence[Mapping[str, Any]], newer: Mapping[str, list[tuple[int, float]]]
) -> Iterator[Sight]:
    for note in notes:
        for name, began in note["last_seen"].items():
            key, version = name.split(" ")
            certain = [at for other, at in newer.get(key, ()) if other > int(version)]
            yield Sight(key, int(version), began, began - certain[-1] if certain else 0.0)
