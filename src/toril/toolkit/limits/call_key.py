"""The key of a call: what a decorator makes of the arguments of its function."""

from collections.abc import Callable
from typing import TypeAlias

from toril.toolkit.call_names import CallName

KeyOf: TypeAlias = str | Callable[..., str]
"""A template over the function's parameters, such as `ip:{ip}`, or a function of the arguments."""

CostOf: TypeAlias = int | Callable[..., int]
"""One cost for all calls, or a function of the arguments."""


def key_maker(key: KeyOf, function: Callable[..., object]) -> Callable[..., str]:
    """A function that tells the key of each call.

    Raises:
        BadInputError: the template names something that is no parameter of the function.
    """
    if callable(key):
        return key
    name = CallName(key, function, "key")

    def make(*args: object, **kwargs: object) -> str:
        return name.of(args, kwargs)

    return make


def cost_maker(cost: CostOf) -> Callable[..., int]:
    """A function that tells the cost of each call."""
    if callable(cost):
        return cost

    def make(*args: object, **kwargs: object) -> int:
        del args, kwargs
        return cost

    return make
