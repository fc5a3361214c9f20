"""What the keys of the toolkit are called: `<prefix>:<pattern>:{<name>}:<part>`.

The braces put all keys of one object into one slot of a cluster. Different names never share a
key, whatever letters they have: what is not plain is percent-encoded, and what is long is hashed.
"""

import re
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final
from urllib.parse import quote_from_bytes

from toril.core.errors import BadInputError

DEFAULT_PREFIX: Final = "toril"

LONGEST_NAME: Final = 512
"""Bytes."""

_LONGEST_PLAIN: Final = 200
_DIGEST_BYTES: Final = 16
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.:@/-]+")
_PLAIN_MARKS: Final = "@/:"
_PREFIX: Final = re.compile(r"[A-Za-z0-9_.:@/-]{1,64}")


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of one pattern under one prefix. `pattern` is two letters, such as `lk`."""

    prefix: str
    pattern: str

    def key(self, *name: str, part: str = "") -> str:
        """The key of an object, or of a part of it.

        A name of several words is that of something within something: a key of a cache.
        """
        tail = f":{part}" if part else ""
        return f"{self.prefix}:{self.pattern}:{{{tag(*name)}}}{tail}"


def tag(*name: str) -> str:
    """The words as one that no other words make; colons divide them, the last one keeps its own."""
    *outer, last = name
    return ":".join([*(_plain(word).replace(":", "%3A") for word in outer), _plain(last)])


def _plain(word: str) -> str:
    # `~` is percent-encoded in a word, so that no word is taken for a digest.
    encoded = word.encode()
    if len(encoded) > _LONGEST_PLAIN:
        return f"~{blake2b(encoded, digest_size=_DIGEST_BYTES).hexdigest()}"
    if _PLAIN.fullmatch(word):
        return word
    return quote_from_bytes(encoded, safe=_PLAIN_MARKS).replace("~", "%7E")


def check_prefix(prefix: object) -> str:
    """The prefix of keys; `toril` when none is given.

    Raises:
        BadInputError: it is not a string of plain letters.
    """
    if prefix is None:
        return DEFAULT_PREFIX
    if not isinstance(prefix, str) or not _PREFIX.fullmatch(prefix):
        raise BadInputError(
            "prefix", f"{prefix!r} is not made of 1 to 64 letters, digits and the marks _ . : @ / -"
        )
    return prefix


def check_name(name: object, field: str = "name") -> str:
    """A name of an object, or a key within it: any text of 1 to 512 bytes.

    Raises:
        BadInputError: it is no string, empty, too long or not Unicode.
    """
    if not isinstance(name, str):
        raise BadInputError(field, f"is of type {type(name).__qualname__}: pass a string")
    try:
        length = len(name.encode())
    except UnicodeEncodeError:
        raise BadInputError(field, "has a lone surrogate, which is no letter") from None
    if not 1 <= length <= LONGEST_NAME:
        raise BadInputError(field, f"has {length} bytes, and needs 1 to {LONGEST_NAME}")
    return name
