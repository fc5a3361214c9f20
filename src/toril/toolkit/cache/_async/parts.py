"""What the verbs of one cache share."""

from typing import Final, Generic, TypeVar

from toril.core.errors import (
    DeniedError,
    OutcomeUnknownError,
    TorilError,
    UnavailableError,
    WireError,
)
from toril.telemetry.toolkit_cache import CacheDegraded
from toril.toolkit._async.client import AsyncClient
from toril.toolkit.cache._async.asking import AsyncAsking
from toril.toolkit.cache._async.entries import AsyncEntries
from toril.toolkit.cache.codec import Codec
from toril.toolkit.cache.keeper import Keeper
from toril.toolkit.cache.level import Level
from toril.toolkit.cache.new_values import NewValues
from toril.toolkit.cache.options import CacheRules

V = TypeVar("V")

_FORGIVEN: Final = (UnavailableError, OutcomeUnknownError, DeniedError, WireError)
"""What a cache can go on without: the server, not the caller, is at fault."""


class AsyncParts(Generic[V]):
    """The parts of one cache, made once."""

    def __init__(
        self, rules: CacheRules, client: AsyncClient, codec: Codec[V], level: Level
    ) -> None:
        self.rules: Final = rules
        self.client: Final = client
        self.emitter: Final = client.emitter
        self.level: Final = level
        self.asking: Final = AsyncAsking(client)
        self.entries: Final = AsyncEntries(rules, self.asking, codec, level)
        self.values: Final = NewValues(rules, codec)
        self.keeper: Final = Keeper(
            client.target,
            length_ms=rules.lease_ms,
            timeout_ms=rules.timeout_ms,
            emitter=client.emitter,
        )

    def forgive(self, error: TorilError) -> None:
        """Note that the server could not be asked; raise the error where that is not forgiven."""
        if not self.rules.is_open or not isinstance(error, _FORGIVEN):
            raise error
        self.emitter.emit(CacheDegraded(cache=self.rules.name, problem=type(error).__name__))

    async def close(self) -> None:
        """End what goes on in the background, and let go of the connection."""
        self.keeper.close()
        self.level.close()
        await self.client.close()
