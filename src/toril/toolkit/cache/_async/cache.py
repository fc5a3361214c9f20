"""Keep what is dear to make, and never serve what has been changed."""

from collections.abc import Sequence
from typing import Final, Generic, Self, TypeVar, Unpack

from toril.core.durations import Duration
from toril.telemetry.emitter import Emitter
from toril.toolkit._async.client import AsyncClient
from toril.toolkit.cache._async.flights import AsyncLoader
from toril.toolkit.cache._async.loading import AsyncLoading, AsyncTerms
from toril.toolkit.cache._async.parts import AsyncParts
from toril.toolkit.cache._async.storing import AsyncStoring, StoreTerms
from toril.toolkit.cache.codec import Codec, JsonCodec
from toril.toolkit.cache.level import NoLevel
from toril.toolkit.cache.options import CacheOptions, CacheRules, check_tags, ttl_to_us
from toril.toolkit.cache.view import Maybe
from toril.toolkit.keys import check_name

V = TypeVar("V")


class AsyncCache(Generic[V]):
    """Values by key, each for a time, shared by all processes that use this name.

    Of all callers who miss a value at once, in whatever process, one loads it. What is loaded is
    stored only if the entry was not changed meanwhile, so a value that was read before a change
    never comes after it.

    >>> async def load() -> str:
    ...     return "Ada"
    >>> async with AsyncCache[str]("users", "embedded://", ttl=60) as users:
    ...     await users.get_or_load("user:1", load)
    ...     await users.invalidate("user:1")
    'Ada'
    1
    """

    def __init__(
        self,
        name: str,
        target: object = None,
        *,
        ttl: Duration,
        codec: Codec[V] | None = None,
        emitter: Emitter | None = None,
        **options: Unpack[CacheOptions],
    ) -> None:
        rules = CacheRules.of(name, ttl, options)
        client = AsyncClient(target, timeout_ms=rules.timeout_ms, emitter=emitter)
        self.name: Final = name
        self._parts: Final = AsyncParts(rules, client, codec or JsonCodec(), NoLevel())
        self._loading: Final = AsyncLoading(self._parts)
        self._storing: Final = AsyncStoring(self._parts)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    async def get(self, key: str) -> Maybe[V]:
        """The value, if it is fresh; otherwise `MISSING`, which is false."""
        return await self._storing.get(check_name(key, "key"))

    async def get_or_load(
        self,
        key: str,
        loader: AsyncLoader[V],
        *,
        ttl: Duration | None = None,
        tags: Sequence[str] = (),
        fresh: bool = False,
    ) -> V:
        """The value, and if there is none that of the loader, which is stored.

        A loader that takes an argument is given the `Load`. `ttl` and `tags` are those of the
        value if it is loaded. `fresh` asks the server whatever is known in this process.

        Raises:
            LoaderFailedError: another caller's loader raised lately. One's own loader's error
                is raised as it is.
            LoaderTimeoutError: the loader took longer than `hard_timeout`.
            UnavailableError: the server could not be asked, and `on_error` is "raise".
        """
        terms = AsyncTerms(
            key=check_name(key, "key"),
            loader=loader,
            ttl_us=None if ttl is None else ttl_to_us(ttl),
            tags=check_tags(tags),
            is_fresh=fresh,
        )
        return await self._loading.get(terms)

    async def set(
        self,
        key: str,
        value: V,
        *,
        ttl: Duration | None = None,
        tags: Sequence[str] = (),
        version: int | None = None,
    ) -> bool:
        """Store a value; whether it was stored.

        It is not while somebody writes the entry, when a higher `version` was stored, when it is
        too large or None is not kept, and when the server cannot be asked.
        """
        terms = StoreTerms.of(ttl, tags, version)
        return await self._storing.set(check_name(key, "key"), value, terms)

    async def invalidate(self, *keys: str) -> int:
        """Remove these entries, and refuse what is being loaded for them; how many there were.

        Call it after the change that makes them wrong. For a change that takes a while, such as
        a transaction, see `invalidating`.

        Raises:
            UnavailableError: the server could not be reached: the entries may still be there.
        """
        return await self._storing.invalidate([check_name(key, "key") for key in keys])

    async def close(self) -> None:
        """Break off what is being loaded, and let go of the connection."""
        await self._loading.close()
        await self._parts.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
