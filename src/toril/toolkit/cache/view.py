"""What a caller sees of an entry: a value that may be used, and what to do about it."""

from dataclasses import dataclass
from enum import Enum
from typing import Final, Generic, TypeAlias, TypeVar

import msgspec

from toril.toolkit.cache.operations.fetch import Fetched, Found
from toril.toolkit.cache.wire import Envelope

V = TypeVar("V")


class Missing(Enum):
    """The class of `MISSING`, which is false."""

    MISSING = "missing"

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing.MISSING
"""There is no value; None is one."""

Maybe: TypeAlias = V | Missing


@dataclass(frozen=True, slots=True)
class Shared(Generic[V]):
    """A value that all callers in this process are given."""

    value: V


class View(msgspec.Struct, Generic[V], frozen=True):
    """An entry at one moment, its value read and found valid."""

    token: str
    """Of this caller; it has the lease where `found` says so."""

    fetched: Fetched
    envelope: Envelope | None = None
    value: Maybe[V] = MISSING

    @property
    def found(self) -> Found:
        """What there is, and what to do."""
        return self.fetched.found

    @property
    def detail(self) -> str:
        """The token of who loads or writes, or why loading failed."""
        return self.fetched.detail.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Entry(Generic[V]):
    """What is stored under a key, for whoever wants to know more than the value."""

    value: V
    age: float
    """Seconds since it was stored."""

    ttl: float
    """For how many seconds it is fresh; 0 when it is stale."""

    tags: tuple[str, ...]

    @property
    def is_stale(self) -> bool:
        """Whether its time is over."""
        return self.ttl == 0
