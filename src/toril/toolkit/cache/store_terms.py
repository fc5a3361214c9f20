"""What is said about a value besides what it is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeAlias, TypeVar

from toril.core.checks import check_whole
from toril.core.durations import Duration
from toril.toolkit.cache.options import check_tags, ttl_to_us

_LARGEST_VERSION: Final = 2**53 - 1
"""What a script compares exactly."""

V = TypeVar("V")

Version: TypeAlias = int | Callable[[V], int]
"""Of a row: known beforehand, or read from what the change returns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreTerms:
    """What is said about a value besides what it is."""

    ttl_us: int | None
    tags: tuple[str, ...]
    version: int | None

    @staticmethod
    def of(ttl: Duration | None, tags: Sequence[str], version: int | None) -> "StoreTerms":
        """Check what a caller says."""
        if version is not None:
            check_version(version)
        ttl_us = None if ttl is None else ttl_to_us(ttl)
        return StoreTerms(ttl_us=ttl_us, tags=check_tags(tags), version=version)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteTerms(Generic[V]):
    """What is said about the value of a change before there is one."""

    ttl_us: int | None
    tags: tuple[str, ...]
    version: Version[V] | None

    @staticmethod
    def of(
        ttl: Duration | None, tags: Sequence[str], version: Version[V] | None
    ) -> "WriteTerms[V]":
        """Check what a caller says."""
        if version is not None and not callable(version):
            check_version(version)
        ttl_us = None if ttl is None else ttl_to_us(ttl)
        return WriteTerms(ttl_us=ttl_us, tags=check_tags(tags), version=version)

    def version_of(self, value: V) -> int | None:
        """The version of this value."""
        if self.version is None:
            return None
        return check_version(self.version(value) if callable(self.version) else self.version)


def check_version(version: int) -> int:
    """The version, if scripts can compare it.

    Raises:
        BadInputError: it is negative, too large, or no whole number.
    """
    return check_whole(version, "version", 0, _LARGEST_VERSION)
