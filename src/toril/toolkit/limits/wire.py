"""What the keys of rate limits are called, and what a script is told of each limit.

`toril:rl:{<name>:<key>}:<limit>` holds the state of one limit of one key. With a scope it is
`toril:rl:{<scope>}:<limit>:<name>:<key>`: all keys of a scope are in one slot of a cluster, so one
script may decide about several of them.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from toril.toolkit.keys import Keys, tag

PATTERN: Final = "rl"

PARTS: Final = 1 << 20
"""Of a microsecond, in which the intervals of rates are told."""

Row: TypeAlias = tuple[str, str, int, int, int, int]
"""Key, kind, cost, and the other terms of a limit."""


def forgotten_key(limit_key: str) -> str:
    """Says when the state of a limit was forgotten; no name has this mark in it."""
    return f"{limit_key}!reset"


class Place(NamedTuple):
    """One key of a limiter."""

    prefix: str
    name: str
    key: str
    scope: str | None = None


class LimitKeys:
    """The keys of one place; `parts` are what its limits are called, and have no colons."""

    __slots__ = ("_base", "_tail", "limits", "no_receipt")

    def __init__(self, place: Place, parts: Sequence[str]) -> None:
        prefix, name, key, scope = place
        own = (name, key) if scope is None else (scope,)
        self._base: Final = Keys(prefix, PATTERN).key(*own)
        self._tail: Final = "" if scope is None else f":{tag(name, key)}"
        self.limits: Final = [f"{self._base}:{part}{self._tail}" for part in parts]
        """The state of each limit."""
        self.no_receipt: Final = self.receipt("")
        """The name of no key, for who has no id."""

    def receipt(self, operation_id: str) -> str:
        """Says that an operation has happened."""
        return self._note("op", operation_id)

    def correction(self, word: str) -> str:
        """Says that what was granted has been corrected."""
        return self._note("fix", word)

    def _note(self, kind: str, word: str) -> str:
        plain = tag(word).replace(":", "%3A")
        return f"{self._base}:{kind}:{plain}{self._tail}"
