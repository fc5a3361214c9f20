"""What becomes of a lease on loading: the value is stored, or the lease given back."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Generic, NamedTuple, TypeVar

from toril.core.errors import TorilError
from toril.telemetry.toolkit_cache import CacheFilled
from toril.toolkit.cache._async.parts import AsyncParts
from toril.toolkit.cache.load import Load
from toril.toolkit.cache.new_values import Unfit
from toril.toolkit.cache.operations.fill import Fill
from toril.toolkit.cache.operations.new_value import NewValue
from toril.toolkit.cache.operations.release import Release
from toril.toolkit.cache.view import View
from toril.toolkit.cache.wire import EntryKeys

V = TypeVar("V")

_COURTESY_MS: Final = 100
"""How long to try to give a lease back that ends by itself."""


class Loaded(NamedTuple):
    """What a loader has returned for one entry."""

    keys: EntryKeys
    token: str
    new: NewValue | Unfit


class AsyncFilling(Generic[V]):
    """Stores what loaders return. None of this fails a caller who has his value."""

    def __init__(self, parts: AsyncParts[V]) -> None:
        self._parts: Final = parts

    async def ready(self, view: View[V], load: Load[V], value: V) -> NewValue | Unfit:
        """The value as it is to be stored.

        Raises:
            BadInputError: it cannot be encoded.
            TorilError: the server could not be asked, and that is not forgiven.
        """
        if not load.is_stored:
            return Unfit("its loader or its caller said so")
        began_us = view.fetched.time_us
        try:
            read = await self._new_generations(load, began_us)
        except TorilError as error:
            self._parts.forgive(error)
            return Unfit("the server could not be asked about its tags")
        if any(int(generation) > began_us for generation in read):
            return Unfit("one of its tags was invalidated meanwhile")
        generations = b" ".join([view.fetched.generations, *read])
        return self._parts.values.make(value, load.ttl_us, load.tags, generations)

    async def _new_generations(self, load: Load[V], began_us: int) -> list[bytes]:
        """Of the tags that only the loader knew; a missing one began with the loading."""
        rules, keys = self._parts.rules, self._parts.entries.keys
        if not load.new_tags:
            return []
        return await self._parts.asking.generations(
            [keys.generation(tag) for tag in load.new_tags], rules.keep_ms, began_us
        )

    async def fill(self, loaded: Sequence[Loaded], took_s: float) -> None:
        """Store these, each where its lease still stands."""
        fills: list[Fill] = []
        for one in loaded:
            if isinstance(one.new, Unfit):
                self._parts.rejected(one.new.reason)
                await self.give_back(one.keys, one.token)
            else:
                compute_us = round(took_s * 1_000_000)
                fill = Fill(keys=one.keys, token=one.token, value=one.new, compute_us=compute_us)
                fills.append(fill)
        try:
            stored = await self._parts.asking.change(fills)
        except TorilError as error:
            for fill in fills:
                await self.give_back(fill.keys, fill.token)
            self._parts.forgive(error)
            return
        for is_stored in stored:
            if is_stored:
                event = CacheFilled(cache=self._parts.rules.name, took_ms=took_s * 1_000)
                self._parts.emitter.emit(event)
            else:
                self._parts.rejected("the entry was changed meanwhile")

    async def give_back(self, keys: EntryKeys, token: str, reason: str = "") -> None:
        """Let others load; with a reason only after a while."""
        backoff_ms = self._parts.rules.backoff_ms if reason else 0
        release = Release(keys=keys, token=token, backoff_ms=backoff_ms, reason=reason)
        with suppress(TorilError):
            await self._parts.asking.run(release, within_ms=_COURTESY_MS)
