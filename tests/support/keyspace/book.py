"""The book of laws: each is one small function, entered under its id."""

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from tests.support.keyspace.layout import Layout

Law: TypeAlias = Callable[[Layout], Iterator[str]]

ALWAYS: Final[list[tuple[str, Law]]] = []
AT_REST: Final[list[tuple[str, Law]]] = []


def always(name: str) -> Callable[[Law], Law]:
    """A law that holds at every instant."""
    return _enter(ALWAYS, name)


def when_at_rest(name: str) -> Callable[[Law], Law]:
    """A law that holds when no worker runs and no job is claimed."""
    return _enter(AT_REST, name)


def _enter(book: list[tuple[str, Law]], name: str) -> Callable[[Law], Law]:
    def enter(law: Law) -> Law:
        book.append((name, law))
        return law

    return enter
