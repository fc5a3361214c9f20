"""Load several entries at once: one question to the server, one call of the loader."""  # generated from _async/many.py by tools/generate_sync.py: edit that file

from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Final, Generic, TypeVar, cast

from toril.core.errors import TorilError
from toril.toolkit.cache._sync.filling import Filling, Loaded
from toril.toolkit.cache._sync.flights import ManyLoader, LateError, run_loader
from toril.toolkit.cache._sync.loading import Loading, Terms
from toril.toolkit.cache._sync.parts import Parts
from toril.toolkit.cache.load import Load
from toril.toolkit.cache.operations.fetch import Found
from toril.toolkit.cache.operations.renew_lease import RenewLease
from toril.toolkit.cache.view import MISSING, View
from toril.toolkit.errors import LoaderTimeoutError

V = TypeVar("V")


class Many(Generic[V]):
    """One call for several keys. `terms` say what is to be said about each value."""

    def __init__(
        self, parts: Parts[V], loading: Loading[V], loader: ManyLoader[V]
    ) -> None:
        self._parts: Final = parts
        self._loading: Final = loading
        self._filling: Final = Filling(parts)
        self._loader: Final = loader

    def get(
        self, keys: Sequence[str], ttl_us: int | None, tags: tuple[str, ...]
    ) -> dict[str, V]:
        """The values of all keys, in order."""
        found: dict[str, V] = {}
        wanted: list[str] = []
        for key in dict.fromkeys(keys):
            known = self._parts.entries.known(key)
            if known is MISSING:
                wanted.append(key)
            else:
                found[key] = known
        views = self._ask(wanted, tags)
        led = {key: view for key, view in views.items() if view.found is Found.LEADS}
        for key, view in views.items():
            if key not in led and view.value is not MISSING:
                found[key] = view.value
        if led:
            found |= self._lead(led, ttl_us, tags)
        for key in wanted:
            if key not in found:
                found[key] = self._loading.get(self._alone(key, ttl_us, tags))
        return {key: found[key] for key in keys}

    def _ask(self, keys: Sequence[str], tags: tuple[str, ...]) -> dict[str, View[V]]:
        if not keys:
            return {}
        try:
            views = self._parts.entries.ask_many(keys, tags)
        except TorilError as error:
            self._parts.forgive(error)
            return {}
        return dict(zip(keys, views, strict=True))

    def _lead(
        self, led: Mapping[str, View[V]], ttl_us: int | None, tags: tuple[str, ...]
    ) -> dict[str, V]:
        """Load and store all for which we have the lease."""
        self._hold(led)
        started = monotonic()
        try:
            values = self._run(list(led))
            took_s = monotonic() - started
            loaded: list[Loaded] = []
            for key, view in led.items():
                new = self._filling.ready(view, Load(view.value, ttl_us, tags), values[key])
                loaded.append(Loaded(self._parts.entries.keys.entry(key), view.token, new))
            self._filling.fill(loaded, took_s)
        except Exception as error:
            self._give_back(led, type(error).__qualname__)
            self._parts.load_failed(error)
            stale = {key: view.value for key, view in led.items() if view.value is not MISSING}
            if len(stale) < len(led):
                raise
            return stale
        except BaseException:
            self._give_back(led)
            raise
        else:
            return values
        finally:
            self._parts.keeper.drop(*(view.token for view in led.values()))

    def _run(self, keys: list[str]) -> dict[str, V]:
        loader, hard_ms = self._loader, self._parts.rules.hard_ms

        def load() -> Mapping[str, V]:
            return loader(keys)

        none: Load[Mapping[str, V]] = Load(MISSING, None, ())
        try:
            values = run_loader(load, none, set(), hard_ms)
        except LateError as late:
            raise LoaderTimeoutError(self._parts.rules.name, hard_ms or 0) from late
        return {key: values.get(key, cast("V", None)) for key in keys}

    def _alone(self, key: str, ttl_us: int | None, tags: tuple[str, ...]) -> Terms[V]:
        """What somebody else loads, or nobody may store: each by itself."""
        loader = self._loader

        def load() -> V:
            return (loader([key])).get(key, cast("V", None))

        return Terms(key=key, loader=load, ttl_us=ttl_us, tags=tags)

    def _hold(self, led: Mapping[str, View[V]]) -> None:
        for key, view in led.items():
            renewal = RenewLease(
                keys=self._parts.entries.keys.entry(key),
                token=view.token,
                lease_ms=self._parts.rules.lease_ms,
            )
            self._parts.keeper.hold(view.token, renewal)

    def _give_back(self, led: Mapping[str, View[V]], reason: str = "") -> None:
        for key, view in led.items():
            keys = self._parts.entries.keys.entry(key)
            self._filling.give_back(keys, view.token, reason)
