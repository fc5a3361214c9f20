"""Functions whose values are kept."""  # generated from _async/cached.py by tools/generate_sync.py: edit that file

from collections.abc import Callable
from dataclasses import dataclass
from functools import update_wrapper
from typing import Any, Concatenate, Final, Generic, ParamSpec, TypeVar

from toril.toolkit._sync.function import Function
from toril.toolkit.cache._sync.loading import Loading, Terms
from toril.toolkit.cache._sync.storing import Storing
from toril.toolkit.cache.key_maker import KeyMaker
from toril.toolkit.cache.view import Entry

P = ParamSpec("P")
Q = ParamSpec("Q")
S = TypeVar("S")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class CachedRules(Generic[V]):
    """What all calls of one function have in common."""

    loading: Loading[V]
    storing: Storing[V]
    maker: KeyMaker
    ttl_us: int | None
    when: Callable[[V], bool] | None


class Cached(Generic[P, V]):
    """A function that is called when its value is not in the cache.

    `key`, `peek`, `invalidate` and `refresh` take the arguments of the function.
    """

    def __init__(
        self,
        function: Function[P, V],
        rules: CachedRules[V],
        bound: tuple[object, ...] = (),
    ) -> None:
        update_wrapper(self, function)
        self._function: Final[Function[..., V]] = function
        self._rules: Final = rules
        self._bound: Final = bound

    def __get__(
        self: "Cached[Concatenate[S, Q], V]", instance: S | None, owner: type[S]
    ) -> "Cached[Q, V]":
        """The method of an instance."""
        bound = () if instance is None else (instance,)
        return Cached(self._function, self._rules, bound)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> V:
        """The value of these arguments, kept or new."""
        return self._rules.loading.get(self._terms(args, kwargs, at_once=False))

    def refresh(self, *args: P.args, **kwargs: P.kwargs) -> V:
        """Call the function and keep its value, whatever there is; others are not kept waiting."""
        return self._rules.loading.get(self._terms(args, kwargs, at_once=True))

    def invalidate(self, *args: P.args, **kwargs: P.kwargs) -> bool:
        """Remove the value of these arguments; whether there was one."""
        return bool(self._rules.storing.invalidate([self.key(*args, **kwargs)]))

    def peek(self, *args: P.args, **kwargs: P.kwargs) -> Entry[V] | None:
        """What is kept for these arguments."""
        return self._rules.storing.peek(self.key(*args, **kwargs))

    def key(self, *args: P.args, **kwargs: P.kwargs) -> str:
        """The key of these arguments."""
        return self._rules.maker.key((*self._bound, *args), kwargs)

    def _terms(
        self, args: tuple[object, ...], kwargs: dict[str, Any], *, at_once: bool
    ) -> Terms[V]:
        rules, everything = self._rules, (*self._bound, *args)
        return Terms(
            key=rules.maker.key(everything, kwargs),
            # A loader with a parameter left would be given the `Load`.
            loader=lambda: self._function(*everything, **kwargs),
            ttl_us=rules.ttl_us,
            tags=rules.maker.tags(everything, kwargs),
            when=rules.when,
            at_once=at_once,
        )
