"""Read the lists inside a reply: every member is what it must be, or the reply is refused whole."""

from collections.abc import Sequence
from typing import cast

from toril.core.errors import UnexpectedReplyError
from toril.core.script import Script

_BYTES = frozenset({bytes})
_NUMBERS = frozenset({int})


def texts(script: Script, members: Sequence[object]) -> list[str]:
    """Ids and names."""
    return [raw.decode("utf-8", "replace") for raw in raws(script, members)]


def raws(script: Script, members: Sequence[object]) -> Sequence[bytes]:
    """Values as they are stored."""
    if not _BYTES.issuperset(map(type, members)):
        raise UnexpectedReplyError(script.name, members)
    return cast("Sequence[bytes]", members)


def numbers(script: Script, members: Sequence[object]) -> Sequence[int]:
    """Counts and times."""
    if not _NUMBERS.issuperset(map(type, members)):
        raise UnexpectedReplyError(script.name, members)
    return cast("Sequence[int]", members)


def fields(script: Script, flat: object) -> dict[bytes, bytes]:
    """A hash, which arrives as a flat list of names and values."""
    if not isinstance(flat, list) or len(flat) % 2:
        raise UnexpectedReplyError(script.name, flat)
    read = iter(raws(script, flat))
    return dict(zip(read, read, strict=True))
