"""The key of a call: what a decorator makes of the arguments of its function."""

import inspect
from collections.abc import Callable
from string import Formatter
from typing import ParamSpec, TypeAlias

from toril.core.errors import BadInputError

P = ParamSpec("P")

KeyOf: TypeAlias = str | Callable[P, str]
"""A template over the function's parameters, such as `ip:{ip}`, or a function of the arguments."""

CostOf: TypeAlias = int | Callable[P, int]


def key_maker(key: KeyOf[P], function: Callable[P, object]) -> Callable[P, str]:
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

    def make(*args: P.args, **kwargs: P.kwargs) -> str:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return key.format(**bound.arguments)

    return make


def cost_maker(cost: CostOf[P]) -> Callable[P, int]:
    """A function that tells the cost of each call."""
    if callable(cost):
        return cost

    def make(*args: P.args, **kwargs: P.kwargs) -> int:
        del args, kwargs
        return cost

    return make
