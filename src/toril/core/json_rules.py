"""What toril lets into JSON: exactly the values that Node reads back as what they were.

Two walks keep one set of rules. `is_plain` is quick and knows ordinary payloads; whatever it is
not sure of goes to `check`, which knows every case and names the path to what it refuses.
"""

import dataclasses
import math
import sys
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, Final, NoReturn

import msgspec

from toril.core.errors import BadInputError

LARGEST_EXACT: Final = 2**53 - 1
"""Up to here JavaScript has every integer."""

LARGEST_DOUBLE: Final = int(sys.float_info.max)
"""Beyond this JavaScript has only Infinity."""

_CONTAINERS: Final = frozenset({dict, list, tuple})
_STEPS_SHOWN: Final = 12
_LETTERS_SHOWN: Final = 40
_ADVICE: Final[Mapping[str, str]] = {
    "bytes": "pass text, such as base64",
    "bytearray": "pass text, such as base64",
    "date": "pass its isoformat()",
    "datetime": "pass its isoformat()",
    "Decimal": "pass its str()",
    "frozenset": "pass a list",
    "memoryview": "pass text, such as base64",
    "set": "pass a list",
    "time": "pass its isoformat()",
    "timedelta": "pass its total_seconds()",
    "UUID": "pass its str()",
}


def is_plain(value: object, *, largest: int, max_depth: int) -> bool:
    """Whether msgspec's text for this value is surely right; False means unsure, not wrong."""
    if type(value) in _CONTAINERS:
        return _has_plain_members(value, max_depth - 1, -largest, largest)
    return _has_plain_members((value,), max_depth, -largest, largest)


def _has_plain_members(container: object, depth_left: int, smallest: int, largest: int) -> bool:
    """Whether every key and member is plain, and theirs.

    One loop that asks first what is most often true, without calls: it runs for every member
    of every payload, after a walk in C that takes a few nanoseconds for each.
    """
    members: Iterable[Any] = container  # type: ignore[assignment]
    if type(container) is dict:
        for key in container:
            if type(key) is not str:
                return False
        members = container.values()
    for member in members:
        kind = type(member)
        if (
            kind is str
            or (kind is int and smallest <= member <= largest)
            or kind is bool
            or member is None
            or (kind is float and member and member - member == 0)
        ):
            continue
        inner = member if kind in _CONTAINERS else _fields_of(member)
        if inner is None:
            plain = kind is float and _is_positive_zero(member)
        else:
            plain = depth_left > 0 and _has_plain_members(inner, depth_left - 1, smallest, largest)
        if not plain:
            return False
    return True


def _is_positive_zero(number: float) -> bool:
    return number == 0 and math.copysign(1.0, number) > 0


def check(value: object, field: str, *, largest: int, max_depth: int) -> None:
    """Refuse the value unless JSON can carry it unchanged.

    Raises:
        BadInputError: names the path, such as `data.items[3].when`, and what is wrong there.
    """
    try:
        _Inspector(field, largest, max_depth).inspect(value)
    except RecursionError:
        raise BadInputError(field, "is nested too deeply for the call stack") from None


class _Inspector:
    """One walk over one value, depth first, that knows where it is."""

    def __init__(self, field: str, largest: int, max_depth: int) -> None:
        self._field = field
        self._largest = largest
        self._max_depth = max_depth
        self._path: list[str] = []
        self._open: set[int] = set()

    def inspect(self, value: object) -> None:
        if isinstance(value, Enum) and isinstance(value, (str, int)):
            value = value.value
        if (fields := _fields_of(value)) is not None:
            self._object(value, fields)
        elif isinstance(value, str):
            self._text(value)
        elif isinstance(value, (int, float)):
            self._number(value)
        elif isinstance(value, dict):
            self._object(value, value)
        elif isinstance(value, (list, tuple)):
            self._list(value)
        elif value is not None:
            self._refuse(_foreign(value))

    def _text(self, text: str) -> None:
        try:
            text.encode()
        except UnicodeEncodeError:
            self._refuse("holds a lone surrogate, which is not text")

    def _number(self, number: float) -> None:
        if isinstance(number, float):
            if not math.isfinite(number):
                self._refuse(f"is {number}, which JSON does not have")
        elif abs(number) > self._largest:
            self._refuse(
                "is an integer beyond 2^53-1, which JavaScript would round: pass it as a string"
                if self._largest == LARGEST_EXACT
                else "is an integer that no JavaScript number can come near: pass it as a string"
            )

    def _object(self, owner: object, members: Mapping[object, object]) -> None:
        self._enter(owner)
        for key, member in members.items():
            if not isinstance(key, str):
                self._refuse(f"has a key of type {type(key).__qualname__}: use strings")
            self._text(key)
            self._path.append(_step(key))
            self.inspect(member)
            self._path.pop()
        self._open.remove(id(owner))

    def _list(self, members: Iterable[object]) -> None:
        self._enter(members)
        for index, member in enumerate(members):
            self._path.append(f"[{index}]")
            self.inspect(member)
            self._path.pop()
        self._open.remove(id(members))

    def _enter(self, container: object) -> None:
        if id(container) in self._open:
            self._refuse("contains itself")
        if len(self._open) >= self._max_depth:
            self._refuse(f"is nested deeper than {self._max_depth} levels")
        self._open.add(id(container))

    def _refuse(self, problem: str) -> NoReturn:
        shown = self._path[:_STEPS_SHOWN]
        cut = "…" if len(self._path) > _STEPS_SHOWN else ""
        raise BadInputError(f"{self._field}{''.join(shown)}{cut}", problem)


def _fields_of(value: object) -> Mapping[object, object] | None:
    """The fields of a dataclass or Struct instance as msgspec writes them, or None."""
    if isinstance(value, msgspec.Struct):
        names = value.__struct_fields__
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = tuple(field.name for field in dataclasses.fields(value))
    else:
        return None
    members = {name: getattr(value, name, msgspec.UNSET) for name in names}
    return {name: member for name, member in members.items() if member is not msgspec.UNSET}


def _step(key: str) -> str:
    if key.isidentifier():
        return f".{key[:_LETTERS_SHOWN]}"
    return f"[{key[:_LETTERS_SHOWN]!a}]"


def _foreign(value: object) -> str:
    name = type(value).__qualname__
    if isinstance(value, Enum):
        return f"is the enum member {name}.{value.name}: pass its value"
    advice = _ADVICE.get(name, "pass a dict, a list, a string or a number")
    return f"is of type {name}, which JSON does not have: {advice}"
