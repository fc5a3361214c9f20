"""What runs here, so that no run waits for its own end.

Tasks, and threads that get a copy of the context, are parts of the run that began them.
"""

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from toril.toolkit.leases.hold import Books

_RUNS: Final[ContextVar[tuple[tuple[Hashable, Books], ...]]] = ContextVar(
    "toril_once_runs", default=()
)


@contextmanager
def running(place: Hashable, books: Books) -> Iterator[None]:
    """While this block runs, it is the run of this place, for as long as it holds that."""
    before = _RUNS.set((*_RUNS.get(), (place, books)))
    try:
        yield
    finally:
        _RUNS.reset(before)


def runs_here(place: Hashable) -> bool:
    """Whether the caller is part of the run of this place."""
    return any(run == place and not books.why for run, books in _RUNS.get())
