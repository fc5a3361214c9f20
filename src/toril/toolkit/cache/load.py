"""What a loader is told, and what it may say about its value."""

import inspect
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Final, Generic, TypeAlias, TypeVar

from toril.core.durations import Duration
from toril.core.errors import BadInputError
from toril.toolkit.cache.options import check_tags, ttl_to_us
from toril.toolkit.cache.view import MISSING, Maybe

V = TypeVar("V")

LOADING: Final[ContextVar[frozenset[str]]] = ContextVar("toril_cache_loading", default=frozenset())
"""The entries that whoever runs here is loading already: waiting for one would never end."""


Place: TypeAlias = tuple[str, bytes]
"""Where a loading is found: what it is about, and the generations that were seen before it."""


class Load(Generic[V]):
    """One loading. A loader that takes an argument is given it.

    >>> async def load_page(load: Load[str]) -> str:
    ...     page = await fetch_page(if_newer_than=load.stale)
    ...     if page.status == 304:
    ...         return load.not_modified()
    ...     load.ttl = page.max_age
    ...     return page.text
    """

    def __init__(self, stale: Maybe[V], ttl_us: int | None, tags: tuple[str, ...]) -> None:
        self.stale: Final = stale
        """The value before, although its time is over; or `MISSING`."""
        self.ttl_us = ttl_us
        self.is_stored = True
        self._given: Final = tags
        self._tags = tags

    @property
    def ttl(self) -> float | None:
        """The time of this value in seconds; None for that of the call or of the cache."""
        return None if self.ttl_us is None else self.ttl_us / 1_000_000

    @ttl.setter
    def ttl(self, ttl: Duration) -> None:
        self.ttl_us = ttl_to_us(ttl)

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of this value. Those of the call remain, whatever is set here."""
        return self._tags

    @tags.setter
    def tags(self, tags: Sequence[str]) -> None:
        self._tags = check_tags([*self._given, *tags])

    @property
    def new_tags(self) -> tuple[str, ...]:
        """The tags that only the loader knew."""
        return self._tags[len(self._given) :]

    def no_store(self) -> None:
        """Give the value to those who wait for it, and to nobody else."""
        self.is_stored = False

    def not_modified(self) -> V:
        """The value before, to be returned: it is as good as new.

        Raises:
            BadInputError: there is none.
        """
        if self.stale is MISSING:
            raise BadInputError("not_modified", "there is no value before this one")
        return self.stale


def takes_load(loader: Callable[..., object]) -> bool:
    """Whether a loader wants to be given its `Load`."""
    try:
        parameters = inspect.signature(loader).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(
        one.default is one.empty and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
        for one in parameters
    )
