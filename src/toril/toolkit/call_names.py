"""The name of a call: a template, filled in with the arguments of a function."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Any, Final

from toril.core.errors import BadInputError


class _Divided(Formatter):
    """Writes a colon within an argument so that it is none between two of them."""

    def format_field(self, value: object, format_spec: str) -> str:
        return str(format(value, format_spec)).replace("%", "%25").replace(":", "%3A")


class CallName:
    """Fills `order:{order_id}` in with the arguments of a function, by its parameters' names.

    Where several are named, a colon within one is escaped: `a:b` and `c` are not `a` and `b:c`.
    `words` is another way to write arguments.

    Raises:
        BadInputError: it is no template, or names what is no parameter of the function.
    """

    def __init__(
        self,
        template: object,
        function: Callable[..., object],
        field: str,
        *,
        words: Formatter | None = None,
    ) -> None:
        if not isinstance(template, str):
            raise BadInputError(field, f"is of type {type(template).__qualname__}: pass a string")
        self._template: Final = template
        self._signature: Final = inspect.signature(function)
        names = _names(template, field)
        self._words: Final = words or (_Divided() if len(names) > 1 else Formatter())
        for name in names:
            if name not in self._signature.parameters:
                known = ", ".join(self._signature.parameters) or "none"
                raise BadInputError(
                    field,
                    f"no such argument: {template!r} names {name!r}; the arguments are {known}",
                )

    def of(self, args: Sequence[object], kwargs: Mapping[str, Any]) -> str:
        """The name of one call.

        Raises:
            TypeError: the function cannot be called so.
        """
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return self._words.vformat(self._template, (), bound.arguments)


def _names(template: str, field: str) -> list[str]:
    """`{order.id}` and `{order[id]}` begin with the name of the parameter."""
    try:
        found = [name for _, name, _, _ in Formatter().parse(template) if name is not None]
    except ValueError as error:
        raise BadInputError(field, f"{template!r} is no template: {error}") from error
    return [name.partition(".")[0].partition("[")[0] for name in found]
