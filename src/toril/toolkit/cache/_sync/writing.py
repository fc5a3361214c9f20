"""Change what entries are made of, with the cache out of the way until the change is done."""  # generated from _async/writing.py by tools/generate_sync.py: edit that file

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Generic, Self, TypeVar

from toril.core.errors import BadInputError, TorilError
from toril.telemetry.toolkit_cache import CacheWrote
from toril.toolkit.cache._sync.flights import Change
from toril.toolkit.cache._sync.parts import Parts
from toril.toolkit.cache.new_values import Unfit
from toril.toolkit.cache.operations.close_write import CloseWrite
from toril.toolkit.cache.operations.new_value import NewValue
from toril.toolkit.cache.operations.open_write import OpenWrite
from toril.toolkit.cache.operations.renew_write import RenewWrite
from toril.toolkit.cache.store_terms import WriteTerms
from toril.toolkit.cache.wire import EntryKeys
from toril.toolkit.tokens import new_token

V = TypeVar("V")


class Writing(Generic[V]):
    """A change of some entries, in whose scope they are empty and nothing is stored for them.

    Where the server cannot be asked, and that is forgiven, the change goes on without it, and
    the entries are removed afterwards if that is possible then.
    """

    def __init__(self, parts: Parts[V], keys: Sequence[str]) -> None:
        self._parts: Final = parts
        self._entries: Final = [parts.entries.keys.entry(key) for key in dict.fromkeys(keys)]
        self._token: Final = new_token()

    def __enter__(self) -> Self:
        opens = [self._open(entry) for entry in self._entries]
        try:
            self._parts.asking.change(opens)
        except TorilError as error:
            self._forgive(error)
        except BaseException:
            self._end_all()
            raise
        self._hold()
        return self

    def __exit__(self, *_: object) -> None:
        self._end_all()

    def write(self, change: Change[V], terms: WriteTerms[V]) -> V:
        """Make the change, and store what it returns in the only entry of this scope."""
        [entry] = self._entries
        generations: bytes | None = None
        opening = self._open(
            entry,
            is_versioned=terms.version is not None,
            generation_keys=self._parts.entries.keys.generations(terms.tags),
        )
        try:
            generations = self._parts.asking.open(opening)
        except TorilError as error:
            self._forgive(error)
        except BaseException:
            self._end_all()
            raise
        self._hold()
        close = CloseWrite(keys=entry, token=self._token)
        try:
            value = change()
            if generations is not None:
                new = self._made(value, terms, generations)
                close = replace(close, version=terms.version_of(value), value=new)
        finally:
            self._end([close])
        return value

    def _end(self, closes: Sequence[CloseWrite]) -> None:
        """The change is over; it stands, whatever the server says now.

        What was there before is gone since the beginning, so nothing is left that is wrong.
        """
        self._parts.keeper.drop(*map(self._name, self._entries))
        try:
            ends = self._parts.asking.change(closes, insist=True)
        except TorilError as error:
            self._parts.degraded(error)
            return
        for end in ends:
            event = CacheWrote(cache=self._parts.rules.name, end=end.name.lower())
            self._parts.emitter.emit(event)

    def _open(
        self, entry: EntryKeys, *, is_versioned: bool = False, generation_keys: Sequence[str] = ()
    ) -> OpenWrite:
        return OpenWrite(
            keys=entry,
            token=self._token,
            is_versioned=is_versioned,
            length_ms=self._parts.rules.lease_ms,
            generation_keys=generation_keys,
            keep_ms=self._parts.rules.keep_ms,
        )

    def _hold(self) -> None:
        for entry in self._entries:
            renewal = RenewWrite(
                keys=entry, token=self._token, length_ms=self._parts.rules.lease_ms
            )
            self._parts.keeper.hold(self._name(entry), renewal)

    def _name(self, entry: EntryKeys) -> str:
        return f"{self._token} {entry.writers}"

    def _made(self, value: V, terms: WriteTerms[V], generations: bytes) -> NewValue | None:
        """What is to be stored. A value that cannot be encoded was written all the same."""
        try:
            new = self._parts.values.make(value, terms.ttl_us, terms.tags, generations)
        except BadInputError as error:
            new = Unfit(f"it cannot be encoded: {error.problem}")
        if isinstance(new, Unfit):
            self._parts.rejected(new.reason)
            return None
        return new

    def _forgive(self, error: TorilError) -> None:
        """Raise it before anything is changed, unless the cache goes on without the server."""
        try:
            self._parts.forgive(error)
        except TorilError:
            # Some of the entries may be waiting for the end of this change.
            self._end_all()
            raise

    def _end_all(self) -> None:
        self._end([CloseWrite(keys=entry, token=self._token) for entry in self._entries])
