"""What the keys of rate limits are called, and what a script is told of each limit.

`toril:rl:{<name>:<key>}:<limit>` holds the state of one limit of one key. With a scope it is
`toril:rl:{<scope>}:<limit>:<name>:<key>`: all keys of a scope are in one slot of a cluster, so one
script may decide about several of them.
"""

from typing import Final, TypeAlias

from toril.toolkit.keys import Keys, tag

PATTERN: Final = "rl"

Row: TypeAlias = tuple[str, str, int, int, int, int]
"""Key, kind, cost, and the other terms of a limit."""


class HitKeys:
    """The keys of one key of a limiter."""

    __slots__ = ("_base", "_tail")

    def __init__(self, prefix: str, name: str, key: str, scope: str | None = None) -> None:
        own = (name, key) if scope is None else (scope,)
        self._base: Final = Keys(prefix, PATTERN).key(*own)
        self._tail: Final = "" if scope is None else f":{tag(name, key)}"

    def limit(self, part: str) -> str:
        """The state of one limit; `part` has no colon."""
        return f"{self._base}:{part}{self._tail}"

    def receipt(self, operation_id: str) -> str:
        """Says that an operation has happened. Without an id it is the name of no key."""
        word = tag(operation_id).replace(":", "%3A")
        return f"{self._base}:op:{word}{self._tail}"
