"""The book of laws: each is one small function, entered under its id.

A law yields what breaks it: a subject (the id of a job, or a key without the queue's beginning)
and what is wrong with it, so that the subject can be looked at again.
"""

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from toril.bullmq.doctor.layout import Layout

Breaches: TypeAlias = Iterator[tuple[str, str]]
Law: TypeAlias = Callable[[Layout], Breaches]
Shelf: TypeAlias = list[tuple[str, Law]]

ALWAYS: Final[Shelf] = []
"""What holds at every instant of a queue that toril and BullMQ 5.62 have written."""

AT_REST: Final[Shelf] = []
"""What holds besides when no worker runs and no job is claimed."""

LIVE: Final[Shelf] = []
"""What holds of every queue in use, whoever writes to it, when one looks twice."""


def always(name: str) -> Callable[[Law], Law]:
    """A law for every instant and everybody."""
    return _enter(name, ALWAYS, LIVE)


def strictly(name: str) -> Callable[[Law], Law]:
    """A law that other versions, skewed clocks or a change of settings may break without harm."""
    return _enter(name, ALWAYS)


def when_settled(name: str) -> Callable[[Law], Law]:
    """A law that workers break for a moment, between one request and the next."""
    return _enter(name, AT_REST, LIVE)


def when_at_rest(name: str) -> Callable[[Law], Law]:
    """A law that working breaks."""
    return _enter(name, AT_REST)


def _enter(name: str, *shelves: Shelf) -> Callable[[Law], Law]:
    def enter(law: Law) -> Law:
        for shelf in shelves:
            shelf.append((name, law))
        return law

    return enter
