"""Read Lua scripts out of the package: includes, signature, digest.

The `unpack(KEYS)` and `unpack(ARGV)` lines of a script are its signature. Python
passes keys and arguments by those names, so their order is written down once.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, Literal, TypeVar

from toril.core.errors import ScriptSignatureError

T = TypeVar("T")

_ROOMS: Final[defaultdict[str, list["Script"]]] = defaultdict(list)

_INCLUDE: Final = re.compile(r"^-- @include (\w+)\n", re.MULTILINE)
_COMMENT: Final = re.compile(r"^ *--.*\n|^\n", re.MULTILINE)
_SIGNATURE: Final = re.compile(r"^local\s+([\w,\s]+?)\s*=\s*unpack\((KEYS|ARGV)\)$", re.MULTILINE)


class Script:
    """One Lua script, known to Redis by the SHA-1 of its assembled source.

    `package` is the room (`toril.bullmq.operations`), `name` the file in it without its
    ending (`add/add_jobs`). An `-- @include name` line takes in `shared/name.lua`, once.
    """

    def __init__(self, package: str, name: str) -> None:
        self.name = name
        self._folder = files(package)
        self._room = _ROOMS[package]
        self._room.append(self)

    def __repr__(self) -> str:
        return f"<Script {self.name} {self.sha[:8]}>"

    @cached_property
    def source(self) -> str:
        """The script with every include in place, each once, dependencies first.

        Comments are for whoever reads the files; the server is not sent any.
        """
        return _COMMENT.sub("", _assemble(self._folder, f"{self.name}.lua", included=set()))

    @cached_property
    def sha(self) -> str:
        """The digest EVALSHA knows the script by."""
        return hashlib.sha1(self.source.encode(), usedforsecurity=False).hexdigest()

    @property
    def room(self) -> Sequence["Script"]:
        """The scripts of the same package, this one included.

        They are given to a server together. Otherwise, of two scripts in one request, the second
        could be known there and the first not, and the second would run first.
        """
        return tuple(self._room)

    @cached_property
    def signature(self) -> Mapping[str, tuple[str, ...]]:
        """The names the script gives to KEYS and to ARGV, in order."""
        lines = _SIGNATURE.findall(self.source)
        return {"KEYS": (), "ARGV": ()} | {
            kind: tuple(name.strip() for name in names.split(",")) for names, kind in lines
        }

    @cached_property
    def _known(self) -> Mapping[str, frozenset[str]]:
        return {kind: frozenset(names) for kind, names in self.signature.items()}

    def in_order(self, kind: Literal["KEYS", "ARGV"], named: Mapping[str, T]) -> list[T]:
        """The values of `named` in the order the script unpacks them."""
        names = self.signature[kind]
        if tuple(named) == names:  # as they mostly are written
            return list(named.values())
        if named.keys() != self._known[kind]:
            raise ScriptSignatureError(self.name, names, tuple(named))
        return [named[name] for name in names]


def _assemble(folder: Traversable, path: str, *, included: set[str]) -> str:
    def replace(match: re.Match[str]) -> str:
        name = match[1]
        if name in included:
            return ""
        included.add(name)
        return _assemble(folder, f"shared/{name}.lua", included=included)

    return _INCLUDE.sub(replace, folder.joinpath(path).read_text("utf-8"))
