"""The key of a call: what a decorator makes of the arguments of its function."""

import inspect
from collections.abc import Callable
from string import Formatter
from typing import TypeAlias

from toril.core.errors import BadInputError

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
    signature = inspect.signature(function)
    names = [field for _, field, _, _ in Formatter().parse(key) if field is not None]
    for name in names:
        if name.replace("[", ".").split(".")[0] not in signature.parameters:
            raise BadInputError(
                "key", f"{key!r} names {name!r}, which is no parameter of the function"
            )

    def make(*args: object, **kwargs: object) -> str:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return key.format(**bound.arguments)

    return make


def cost_maker(cost: CostOf) -> Callable[..., int]:
    """A function that tells the cost of each call."""
    if callable(cost):
        return cost

    def make(*args: object, **kwargs: object) -> int:
        del args, kwargs
        return cost

    return make
