"""What the verbs of one cache share."""  # generated from _async/parts.py by tools/generate_sync.py: edit that file

from typing import Final, Generic, TypeVar

from toril.core.errors import (
    DeniedError,
    OutcomeUnknownError,
    TorilError,
    UnavailableError,
    WireError,
)
from toril.telemetry.emitter import Emitter
from toril.telemetry.toolkit_cache import (
    CacheDegraded,
    CacheFillRejected,
    CacheLoadFailed,
    CachePaused,
    CacheResumed,
)
from toril.toolkit._sync.client import Client
from toril.toolkit.cache._sync.asking import Asking
from toril.toolkit.cache._sync.entries import Entries
from toril.toolkit.cache.codec import Codec
from toril.toolkit.cache.keeper import Keeper
from toril.toolkit.cache.local import level_of
from toril.toolkit.cache.new_values import NewValues
from toril.toolkit.cache.operations.fetch import Fetch
from toril.toolkit.cache.options import CacheRules
from toril.toolkit.cache.outlook import Listener
from toril.toolkit.cache.stats import Tally

V = TypeVar("V")

_FORGIVEN: Final = (UnavailableError, OutcomeUnknownError, DeniedError, WireError)
"""What a cache can go on without: the server, not the caller, is at fault."""


class Parts(Generic[V]):
    """The parts of one cache, made once."""

    def __init__(self, rules: CacheRules, client: Client, codec: Codec[V]) -> None:
        self.rules: Final = rules
        self.client: Final = client
        self.tally: Final = Tally()
        self.emitter: Final = Emitter(self.tally.count, client.emitter.emit)
        self.level: Final = level_of(rules, client.target, client.emitter)
        self.asking: Final = Asking(client, self.level, self.emitter)
        self.entries: Final = Entries(rules, self.asking, codec, self.level)
        self.values: Final = NewValues(rules, codec)
        self.keeper: Final = Keeper(
            client.target,
            length_ms=rules.lease_ms,
            timeout_ms=rules.timeout_ms,
            emitter=client.emitter,
        )

        self._listener: Final = Listener(
            Fetch(keys=self.entries.keys.entry("probe"), generation_keys=(), keep_ms=rules.keep_ms),
            timeout_ms=rules.timeout_ms,
            emitter=client.emitter,
            tell=self._outlook_changed,
        )
        self.asking.join(self._listener)

    def forgive(self, error: TorilError) -> None:
        """Note that the server could not be asked; raise the error where that is not forgiven."""
        if not self.rules.is_open or not isinstance(error, _FORGIVEN):
            raise error
        self.degraded(error)

    def degraded(self, error: TorilError) -> None:
        """Tell that the server could not be asked."""
        self.emitter.emit(CacheDegraded(cache=self.rules.name, problem=type(error).__name__))

    def rejected(self, reason: str) -> None:
        """Tell that a value was used, and not stored."""
        self.emitter.emit(CacheFillRejected(cache=self.rules.name, reason=reason))

    def load_failed(self, error: Exception) -> None:
        """Tell that a loader raised."""
        problem = type(error).__qualname__
        self.emitter.emit(CacheLoadFailed(cache=self.rules.name, problem=problem))

    def close(self) -> None:
        """End what goes on in the background, and let go of the connection."""
        self.keeper.close()
        self.asking.leave(self._listener)
        self.level.close()
        self.client.close()

    def _outlook_changed(self, is_paused: bool) -> None:
        event = CachePaused if is_paused else CacheResumed
        self.emitter.emit(event(cache=self.rules.name))
