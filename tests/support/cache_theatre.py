"""Starts processes that read and change what a cache keeps, and judges what they have seen."""

import json
import random
import signal
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple, Self

from tests.support.nursery import Child, Nursery

ACTORS: Final = "tests.support.cache_actors"

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
        self._actors: list[Child] = []

    def __enter__(self) -> Self:
        folder = Path(self._stack.enter_context(TemporaryDirectory()))
        nursery = self._stack.enter_context(Nursery(folder, [ACTORS]))
        for number, part in enumerate(self._parts):
            part["notes"] = str(folder / f"{number}.json")
            self._actors.append(nursery.start(ACTORS, part, name=f"{part['role']} {number}"))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @contextmanager
    def stopped_reader(self) -> Iterator[None]:
        """For the block one reader does not run, and does not know."""
        self._actors[0].signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._actors[0].signal(signal.SIGCONT)

    def end(self) -> Play:
        """Let all of them end, and judge."""
        for actor in self._actors:
            actor.signal(signal.SIGTERM)
        for actor in self._actors:
            assert actor.wait(_END_S) == 0, actor.log.read_text("utf-8")
        notes = [json.loads(Path(part["notes"]).read_text("utf-8")) for part in self._parts]
        done = [entry for note in notes for entry in note["done"]]
        return Play(
            sights=list(_sights(notes, _newer(done))),
            reads=sum(note["reads"] for note in notes),
            loads=sum(note["loads"] for note in notes),
            writes=len(done),
            errors=sum((Counter(note["errors"]) for note in notes), Counter()),
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
