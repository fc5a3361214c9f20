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


class _Words(Formatter):
    """Writes a colon within an argument so that it is none between two of them."""

    def format_field(self, value: object, format_spec: str) -> str:
        return str(format(value, format_spec)).replace("%", "%25").replace(":", "%3A")


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

    # One argument cannot be taken for two, so it is written as it is.
    words = _Words() if len(names) > 1 else Formatter()

    def make(*args: object, **kwargs: object) -> str:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return words.vformat(key, (), bound.arguments)

    return make


def cost_maker(cost: CostOf) -> Callable[..., int]:
    """A function that tells the cost of each call."""
    if callable(cost):
        return cost

    def make(*args: object, **kwargs: object) -> int:
        del args, kwargs
        return cost

    return make
