"""What becomes of a lease on loading: the value is stored, or the lease given back."""

from contextlib import suppress
from typing import Final, Generic, TypeVar

from toril.core.errors import TorilError
from toril.telemetry.toolkit_cache import CacheFilled, CacheFillRejected
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


class AsyncFilling(Generic[V]):
    """Stores what loaders return. None of this fails a caller who has his value."""

    def __init__(self, parts: AsyncParts[V]) -> None:
        self._parts: Final = parts

    async def ready(self, view: View[V], load: Load[V], value: V) -> NewValue | Unfit:
        """The value as it is to be stored.

        Raises:
            BadInputError: it cannot be encoded.
            TorilError: the generations of tags that only the loader knew cannot be read.
        """
        if not load.is_stored:
            return Unfit("its loader or its caller said so")
        began_us, generations = view.fetched.time_us, view.fetched.generations
        if load.new_tags:
            rules, keys = self._parts.rules, self._parts.entries.keys
            read = await self._parts.asking.generations(
                [keys.generation(tag) for tag in load.new_tags], rules.keep_ms, began_us
            )
            if any(int(generation) > began_us for generation in read):
                return Unfit("one of its tags was invalidated meanwhile")
            generations = b" ".join([generations, *read])
        return self._parts.values.make(value, load.ttl_us, load.tags, generations)

    async def fill(self, keys: EntryKeys, token: str, new: NewValue | Unfit, took_s: float) -> None:
        """Store it, where the lease still stands."""
        cache = self._parts.rules.name
        if isinstance(new, Unfit):
            self._parts.emitter.emit(CacheFillRejected(cache=cache, reason=new.reason))
            await self.give_back(keys, token)
            return
        fill = Fill(keys=keys, token=token, value=new, compute_us=round(took_s * 1_000_000))
        try:
            is_stored = await self._parts.asking.run(fill)
        except TorilError as error:
            await self.give_back(keys, token)
            self._parts.forgive(error)
            return
        if is_stored:
            self._parts.emitter.emit(CacheFilled(cache=cache, took_ms=took_s * 1_000))
        else:
            reason = "the entry was changed meanwhile"
            self._parts.emitter.emit(CacheFillRejected(cache=cache, reason=reason))

    async def give_back(self, keys: EntryKeys, token: str, reason: str = "") -> None:
        """Let others load; with a reason only after a while."""
        backoff_ms = self._parts.rules.backoff_ms if reason else 0
        release = Release(keys=keys, token=token, backoff_ms=backoff_ms, reason=reason)
        with suppress(TorilError):
            await self._parts.asking.run(release, within_ms=_COURTESY_MS)
