"""Look at entries, store and remove them: the verbs that load nothing."""  # generated from _async/storing.py by tools/generate_sync.py: edit that file

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Generic, TypeVar

from toril.core.errors import TorilError
from toril.telemetry.toolkit_cache import CacheHit
from toril.toolkit.cache._sync.parts import Parts
from toril.toolkit.cache.new_values import Unfit
from toril.toolkit.cache.operations.begin_store import BeginStore
from toril.toolkit.cache.operations.bump_generation import BumpGeneration
from toril.toolkit.cache.operations.fetch import Found
from toril.toolkit.cache.operations.invalidate import Invalidate
from toril.toolkit.cache.operations.new_value import NewValue
from toril.toolkit.cache.operations.store import Store, StoreEnd
from toril.toolkit.cache.store_terms import StoreTerms
from toril.toolkit.cache.view import MISSING, Entry, Maybe
from toril.toolkit.tokens import new_token

V = TypeVar("V")

_REASONS: Final = {
    StoreEnd.WRITING: "the entry is being written",
    StoreEnd.OUTDONE: "a higher version was stored",
    StoreEnd.CHANGED: "the entry was changed meanwhile",
}


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
            self._parts.rejected(new.reason)
            return False
        try:
            end = self._store(key, new, terms)
        except TorilError as error:
            parts.forgive(error)
            return False
        if end is not StoreEnd.STORED:
            self._parts.rejected(_REASONS[end])
        return end is StoreEnd.STORED

    def _store(self, key: str, new: NewValue, terms: StoreTerms) -> StoreEnd:
        parts = self._parts
        keys = parts.entries.keys
        begin = BeginStore(
            keys=keys.entry(key),
            generation_keys=keys.generations(terms.tags),
            keep_ms=parts.rules.keep_ms,
        )
        basis = parts.asking.begin(begin)
        store = Store(
            keys=begin.keys,
            token=new_token(),
            value=replace(new, generations=basis.generations),
            changed=basis.changed,
            version=terms.version,
        )
        [end] = parts.asking.change([store])
        return end

    def invalidate(self, keys: Sequence[str]) -> int:
        """How many entries there were."""
        entry = self._parts.entries.keys.entry
        removed = self._parts.asking.change(
            [Invalidate(keys=entry(key)) for key in keys], insist=True
        )
        return sum(removed)

    def peek(self, key: str) -> Entry[V] | None:
        """What is stored, fresh or stale."""
        try:
            view = self._parts.entries.look(key)
        except TorilError as error:
            self._parts.forgive(error)
            return None
        envelope, now_us = view.envelope, view.fetched.time_us
        if envelope is None or view.value is MISSING:
            return None
        return Entry(
            view.value,
            age=(now_us - envelope.stored_us) / 1_000_000,
            ttl=max(0.0, (envelope.soft_us - now_us) / 1_000_000),
            tags=tuple(envelope.tags),
        )

    def bump(self, generation_keys: Sequence[str]) -> None:
        """Invalidate all that was stored under these generations."""
        keep_ms = self._parts.rules.keep_ms
        self._parts.asking.change(
            [BumpGeneration(generation_key=key, keep_ms=keep_ms) for key in generation_keys],
            insist=True,
        )
