"""Functions whose values are kept."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import update_wrapper
from typing import Any, Concatenate, Final, Generic, ParamSpec, TypeVar

from toril.toolkit._async.function import AsyncFunction
from toril.toolkit.cache._async.loading import AsyncLoading, AsyncTerms
from toril.toolkit.cache._async.storing import AsyncStoring
from toril.toolkit.cache.key_maker import KeyMaker
from toril.toolkit.cache.view import Entry

P = ParamSpec("P")
Q = ParamSpec("Q")
S = TypeVar("S")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class AsyncCachedRules(Generic[V]):
    """What all calls of one function have in common."""

    loading: AsyncLoading[V]
    storing: AsyncStoring[V]
    maker: KeyMaker
    ttl_us: int | None
    when: Callable[[V], bool] | None


class AsyncCached(Generic[P, V]):
    """A function that is called when its value is not in the cache.

    `key`, `peek`, `invalidate` and `refresh` take the arguments of the function.
    """

    def __init__(
        self,
        function: AsyncFunction[P, V],
        rules: AsyncCachedRules[V],
        bound: tuple[object, ...] = (),
    ) -> None:
        update_wrapper(self, function)
        self._function: Final[AsyncFunction[..., V]] = function
        self._rules: Final = rules
        self._bound: Final = bound

    def __get__(
        self: "AsyncCached[Concatenate[S, Q], V]", instance: S | None, owner: type[S]
    ) -> "AsyncCached[Q, V]":
        """The method of an instance."""
        bound = () if instance is None else (instance,)
        return AsyncCached(self._function, self._rules, bound)

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> V:
        """The value of these arguments, kept or new."""
        return await self._rules.loading.get(self._terms(args, kwargs, at_once=False))

    async def refresh(self, *args: P.args, **kwargs: P.kwargs) -> V:
        """Call the function and keep its value, whatever there is; others are not kept waiting."""
        return await self._rules.loading.get(self._terms(args, kwargs, at_once=True))

    async def invalidate(self, *args: P.args, **kwargs: P.kwargs) -> bool:
        """Remove the value of these arguments; whether there was one."""
        return bool(await self._rules.storing.invalidate([self.key(*args, **kwargs)]))

    async def peek(self, *args: P.args, **kwargs: P.kwargs) -> Entry[V] | None:
        """What is kept for these arguments."""
        return await self._rules.storing.peek(self.key(*args, **kwargs))

    def key(self, *args: P.args, **kwargs: P.kwargs) -> str:
        """The key of these arguments."""
        return self._rules.maker.key((*self._bound, *args), kwargs)

    def _terms(
        self, args: tuple[object, ...], kwargs: dict[str, Any], *, at_once: bool
    ) -> AsyncTerms[V]:
        rules, everything = self._rules, (*self._bound, *args)
        return AsyncTerms(
            key=rules.maker.key(everything, kwargs),
            # A loader with a parameter left would be given the `Load`.
            loader=lambda: self._function(*everything, **kwargs),
            ttl_us=rules.ttl_us,
            tags=rules.maker.tags(everything, kwargs),
            when=rules.when,
            at_once=at_once,
        )
