"""Make keys and tags of the arguments of a function."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Any, Final, TypeAlias

from toril.core.errors import BadInputError
from toril.toolkit.cache.options import check_tags
from toril.toolkit.keys import check_name

KeyRule: TypeAlias = str | Callable[..., str]
"""A template such as `user:{user_id}`, or a function of the same arguments."""


class _Words(Formatter):
    """Formats what has one way of being written, so that different arguments never meet."""

    def format_field(self, value: object, format_spec: str) -> str:
        if isinstance(value, str):
            return format(value, format_spec).replace("%", "%25").replace(":", "%3A")
        if value is None or isinstance(value, bool):
            # As no string is written, since a `%` in one is `%25`.
            return f"%{value}"
        if isinstance(value, int):
            return format(value, format_spec)
        raise BadInputError(
            "key",
            f"has an argument of type {type(value).__qualname__}: make the key with a function",
        )


_WORDS: Final = _Words()


class KeyMaker:
    """The key, and the tags, of a call of one function."""

    def __init__(self, function: Callable[..., object], key: KeyRule, tags: Sequence[str]) -> None:
        if isinstance(tags, str):
            raise BadInputError("tags", "is a string: pass a list of them")
        self._signature: Final = inspect.signature(function)
        self._key: Final = key
        self._tags: Final = tuple(tags)
        for tag in tags:
            self._check("tags", tag)
        if isinstance(key, str):
            self._check("key", key)

    def key(self, args: Sequence[object], kwargs: Mapping[str, Any]) -> str:
        """The key of this call.

        Raises:
            BadInputError: an argument is of a type that is written in many ways.
            TypeError: the function cannot be called so.
        """
        if not isinstance(self._key, str):
            return check_name(self._key(*args, **kwargs), "key")
        return check_name(_WORDS.vformat(self._key, (), self._named(args, kwargs)), "key")

    def tags(self, args: Sequence[object], kwargs: Mapping[str, Any]) -> tuple[str, ...]:
        """The tags of this call."""
        if not self._tags:
            return ()
        named = self._named(args, kwargs)
        return check_tags([_WORDS.vformat(tag, (), named) for tag in self._tags])

    def _named(self, args: Sequence[object], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.arguments

    def _check(self, field: str, template: str) -> None:
        try:
            names = [name for _, name, _, _ in _WORDS.parse(template) if name is not None]
        except ValueError as error:
            raise BadInputError(field, f"{template!r} is no template: {error}") from None
        for name in names:
            first = name.partition(".")[0].partition("[")[0]
            if first not in self._signature.parameters:
                known = ", ".join(self._signature.parameters) or "none"
                raise BadInputError(
                    field, f"{template!r} names {first!r}; the arguments are {known}"
                )
