"""Keep what is dear to make, and never serve what has been changed."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial, wraps
from typing import Final, Generic, ParamSpec, Self, TypeVar, Unpack

from toril.core.durations import Duration
from toril.telemetry.emitter import Emitter
from toril.toolkit._async.client import AsyncClient
from toril.toolkit._async.function import AsyncFunction
from toril.toolkit.cache._async.cached import AsyncCached, AsyncCachedRules
from toril.toolkit.cache._async.flights import AsyncChange, AsyncLoader, AsyncManyLoader
from toril.toolkit.cache._async.loading import AsyncLoading, AsyncTerms
from toril.toolkit.cache._async.many import AsyncMany
from toril.toolkit.cache._async.parts import AsyncParts
from toril.toolkit.cache._async.storing import AsyncStoring
from toril.toolkit.cache._async.writing import AsyncWriting
from toril.toolkit.cache.codec import Codec, JsonCodec
from toril.toolkit.cache.key_maker import KeyMaker, KeyRule
from toril.toolkit.cache.options import CacheOptions, CacheRules, check_tags, ttl_to_us
from toril.toolkit.cache.stats import CacheStats
from toril.toolkit.cache.store_terms import StoreTerms, Version, WriteTerms
from toril.toolkit.cache.view import Entry, Maybe
from toril.toolkit.keys import check_name

P = ParamSpec("P")
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
        self._parts: Final = AsyncParts(rules, client, codec or JsonCodec())
        self._loading: Final = AsyncLoading(self._parts)
        self._storing: Final = AsyncStoring(self._parts)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    async def get(self, key: str) -> Maybe[V]:
        """The value, if it is fresh; otherwise `MISSING`, which is false."""
        return await self._storing.get(check_name(key, "key"))

    async def peek(self, key: str) -> Entry[V] | None:
        """What is stored under this key, fresh or stale, as the server has it."""
        return await self._storing.peek(check_name(key, "key"))

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

    async def get_or_load_many(
        self,
        keys: Iterable[str],
        loader: AsyncManyLoader[V],
        *,
        ttl: Duration | None = None,
        tags: Sequence[str] = (),
    ) -> dict[str, V]:
        """The values of all these keys, asked for in one round trip for each server.

        The loader is called once with the keys that it is to load, and returns a mapping; what
        it leaves out is None. What others load it may be called for again, key by key.

        Raises:
            LoaderFailedError: another caller's loader raised lately for one of the keys.
            LoaderTimeoutError: the loader took longer than `hard_timeout`.
            UnavailableError: the server could not be asked, and `on_error` is "raise".
        """
        wanted = [check_name(key, "key") for key in keys]
        ttl_us = None if ttl is None else ttl_to_us(ttl)
        many = AsyncMany(self._parts, self._loading, loader)
        return await many.get(wanted, ttl_us, check_tags(tags))

    async def refresh(
        self,
        key: str,
        loader: AsyncLoader[V],
        *,
        ttl: Duration | None = None,
        tags: Sequence[str] = (),
    ) -> V:
        """Load a value and store it, whatever there is; others are served what there is meanwhile.

        Raises:
            LoaderFailedError: another caller's loader raised lately.
            LoaderTimeoutError: the loader took longer than `hard_timeout`.
            UnavailableError: the server could not be asked, and `on_error` is "raise".
        """
        terms = AsyncTerms(
            key=check_name(key, "key"),
            loader=loader,
            ttl_us=None if ttl is None else ttl_to_us(ttl),
            tags=check_tags(tags),
            at_once=True,
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

        It is not while somebody writes the entry, when it was invalidated or written while this
        was on its way, when a higher `version` was stored, when it is too large or None is not
        kept, and when the server cannot be asked.
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

    async def invalidate_tag(self, *tags: str) -> None:
        """Invalidate all entries that have one of these tags, and what is being loaded with it.

        It costs the same for one entry and for millions.

        Raises:
            UnavailableError: the server could not be reached: the entries may still be served.
        """
        keys = self._parts.entries.keys
        await self._storing.bump([keys.generation(tag) for tag in check_tags(tags)])

    async def clear(self) -> None:
        """Invalidate everything, at the cost of one entry; memory is freed as values end.

        Raises:
            UnavailableError: the server could not be reached: the entries may still be served.
        """
        await self._storing.bump([self._parts.entries.keys.generation(None)])

    def invalidating(self, *keys: str) -> AsyncWriting[V]:
        """A scope for a change that takes a while, such as a transaction.

        In it the entries are empty and nothing is stored for them, so that nobody puts back what
        was read before the change was done.

        >>> async with cache.invalidating("user:1"), database.transaction():
        ...     await database.rename_user(1, "Grace")

        Entering raises `UnavailableError` where the server cannot be asked and `on_error` is
        "raise".
        """
        return AsyncWriting(self._parts, [check_name(key, "key") for key in keys])

    async def write(
        self,
        key: str,
        change: AsyncChange[V],
        *,
        version: Version[V] | None = None,
        ttl: Duration | None = None,
        tags: Sequence[str] = (),
    ) -> V:
        """Make a change and store what it returns, if no other writer can have overtaken it.

        Where writers overlap the entry is left empty; with `version`, a number in the row or a
        function that reads it from the value, the highest one is stored. What the change raises
        is raised as it is, and the entry is empty then.

        Raises:
            UnavailableError: the server could not be asked, and `on_error` is "raise". The
                change was not begun.
        """
        terms = WriteTerms.of(ttl, tags, version)
        return await AsyncWriting(self._parts, [check_name(key, "key")]).write(change, terms)

    def cached(
        self,
        key: KeyRule,
        *,
        ttl: Duration | None = None,
        tags: Sequence[str] = (),
        when: Callable[[V], bool] | None = None,
    ) -> Callable[[AsyncFunction[P, V]], AsyncCached[P, V]]:
        """Keep the values of a function. `key` is a template, or a function of its arguments.

        `tags` are templates, too. `when` says whether a value is stored.

        >>> @cache.cached("user:{user_id}", tags=["org:{org_id}"])
        ... async def load_user(org_id: int, user_id: int) -> User: ...
        >>> await load_user(7, 1)
        >>> await load_user.invalidate(7, 1)

        Raises:
            BadInputError: a template names what is no argument.
        """
        ttl_us = None if ttl is None else ttl_to_us(ttl)

        def decorate(function: AsyncFunction[P, V]) -> AsyncCached[P, V]:
            maker = KeyMaker(function, key, tags)
            rules = AsyncCachedRules(self._loading, self._storing, maker, ttl_us, when)
            return AsyncCached(function, rules)

        return decorate

    def writes(
        self,
        key: KeyRule,
        *,
        version: Version[V] | None = None,
        ttl: Duration | None = None,
        tags: Sequence[str] = (),
    ) -> Callable[[AsyncFunction[P, V]], AsyncFunction[P, V]]:
        """Pass what a function writes through the cache, as `write` does; it returns the value.

        >>> @cache.writes("user:{user_id}")
        ... async def rename(user_id: int, name: str) -> User: ...

        Raises:
            BadInputError: a template names what is no argument.
        """
        terms = WriteTerms.of(ttl, (), version)

        def decorate(function: AsyncFunction[P, V]) -> AsyncFunction[P, V]:
            maker = KeyMaker(function, key, tags)

            @wraps(function)
            async def write(*args: P.args, **kwargs: P.kwargs) -> V:
                writing = AsyncWriting(self._parts, [maker.key(args, kwargs)])
                tagged = replace(terms, tags=maker.tags(args, kwargs))
                return await writing.write(partial(function, *args, **kwargs), tagged)

            return write

        return decorate

    def stats(self) -> CacheStats:
        """What this cache has done in this process."""
        return self._parts.tally.stats

    async def close(self) -> None:
        """Break off what is being loaded, and let go of the connection."""
        await self._loading.close()
        await self._parts.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
