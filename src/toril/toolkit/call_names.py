"""The name of a call: a template, filled in with the arguments."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Final

from toril.core.errors import BadInputError


class CallName:
    """Fills `order:{order_id}` in with the arguments of a function, by its parameters' names."""

    def __init__(self, template: object, function: Callable[..., object], field: str) -> None:
        if not isinstance(template, str):
            raise BadInputError(field, f"is of type {type(template).__qualname__}: pass a string")
        self._template: Final = template
        self._signature: Final = inspect.signature(function)
        for name in _names(template, field):
            if name not in self._signature.parameters:
                raise BadInputError(field, f"{template!r} asks for {name!r}: no such argument")

    def of(self, args: Sequence[object], kwargs: Mapping[str, object]) -> str:
        """The name of one call."""
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return self._template.format_map(bound.arguments)


def _names(template: str, field: str) -> list[str]:
    """`{order.id}` and `{order[id]}` begin with the name of the parameter."""
    try:
        found = [name for _, name, _, _ in Formatter().parse(template) if name is not None]
    except ValueError as error:
        raise BadInputError(field, f"{template!r} is no template: {error}") from error
    return [name.partition(".")[0].partition("[")[0] for name in found]
