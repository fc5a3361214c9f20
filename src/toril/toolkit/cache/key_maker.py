"""Make keys and tags of the arguments of a function."""

from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Any, Final, TypeAlias

from toril.core.errors import BadInputError
from toril.toolkit.cache.options import check_tags
from toril.toolkit.call_names import CallName
from toril.toolkit.keys import check_name

KeyRule: TypeAlias = str | Callable[..., str]
"""A template such as `user:{user_id}`, or a function of the same arguments."""

_Rule: TypeAlias = Callable[[Sequence[object], Mapping[str, Any]], str]


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
        self._tags: Final = [CallName(tag, function, "tags", words=_WORDS) for tag in tags]
        self._key: Final = _key_rule(key, function)

    def key(self, args: Sequence[object], kwargs: Mapping[str, Any]) -> str:
        """The key of this call.

        Raises:
            BadInputError: an argument is of a type that is written in many ways.
            TypeError: the function cannot be called so.
        """
        return check_name(self._key(args, kwargs), "key")

    def tags(self, args: Sequence[object], kwargs: Mapping[str, Any]) -> tuple[str, ...]:
        """The tags of this call."""
        return check_tags([tag.of(args, kwargs) for tag in self._tags])


def _key_rule(key: KeyRule, function: Callable[..., object]) -> _Rule:
    if not isinstance(key, str):
        return lambda args, kwargs: key(*args, **kwargs)
    return CallName(key, function, "key", words=_WORDS).of
