"""Look at entries, store and remove them: the verbs that load nothing."""  # generated from _async/storing.py by tools/generate_sync.py: edit that file

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Generic, TypeVar

from toril.core.checks import check_whole
from toril.core.durations import Duration
from toril.core.errors import TorilError
from toril.telemetry.toolkit_cache import CacheFillRejected, CacheHit
from toril.toolkit.cache._sync.parts import Parts
from toril.toolkit.cache.new_values import Unfit
from toril.toolkit.cache.operations.fetch import Found
from toril.toolkit.cache.operations.invalidate import Invalidate
from toril.toolkit.cache.operations.new_value import NewValue
from toril.toolkit.cache.operations.store import Store, StoreEnd
from toril.toolkit.cache.options import check_tags, ttl_to_us
from toril.toolkit.cache.tokens import new_token
from toril.toolkit.cache.view import MISSING, Maybe

V = TypeVar("V")

_LARGEST_VERSION: Final = 2**53 - 1
"""What a script compares exactly."""

_REASONS: Final = {
    StoreEnd.WRITING: "the entry is being written",
    StoreEnd.OUTDONE: "a higher version was stored",
}


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
            check_whole(version, "version", 0, _LARGEST_VERSION)
        ttl_us = None if ttl is None else ttl_to_us(ttl)
        return StoreTerms(ttl_us=ttl_us, tags=check_tags(tags), version=version)


class Storing(Generic[V]):
    """One method for one verb."""

    def __init__(self, parts: Parts[V]) -> None:
        self._parts: Final = parts

    def get(self, key: str) -> Maybe[V]:
        """A fresh value, or `MISSING`."""
        parts = self._parts
        known = parts.entries.known(key)
        if known is not MISSING:
            parts.emitter.emit(CacheHit(cache=parts.rules.name, is_local=True))
            return known
        try:
            view = parts.entries.look(key)
        except TorilError as error:
            parts.forgive(error)
            return MISSING
        if view.found is not Found.FRESH:
            return MISSING
        parts.emitter.emit(CacheHit(cache=parts.rules.name, is_local=False))
        return view.value

    def set(self, key: str, value: V, terms: StoreTerms) -> bool:
        """Whether it was stored."""
        parts = self._parts
        new = parts.values.make(value, terms.ttl_us, terms.tags, b"")
        if isinstance(new, Unfit):
            self._rejected(new.reason)
            return False
        try:
            end = self._store(key, new, terms)
        except TorilError as error:
            parts.forgive(error)
            return False
        if end is not StoreEnd.STORED:
            self._rejected(_REASONS[end])
        return end is StoreEnd.STORED

    def _store(self, key: str, new: NewValue, terms: StoreTerms) -> StoreEnd:
        parts = self._parts
        generations = parts.asking.generations(
            parts.entries.keys.generations(terms.tags), parts.rules.keep_ms
        )
        store = Store(
            keys=parts.entries.keys.entry(key),
            token=new_token(),
            value=replace(new, generations=b" ".join(generations)),
            version=terms.version,
        )
        return parts.asking.run(store)

    def invalidate(self, keys: Sequence[str]) -> int:
        """How many entries there were."""
        entry = self._parts.entries.keys.entry
        removed = self._parts.asking.run_all([Invalidate(keys=entry(key)) for key in keys])
        return sum(removed)

    def _rejected(self, reason: str) -> None:
        event = CacheFillRejected(cache=self._parts.rules.name, reason=reason)
        self._parts.emitter.emit(event)
