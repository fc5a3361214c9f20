"""Read the lists inside a reply: every member is what it must be, or the reply is refused whole."""

from collections.abc import Sequence

from toril.core.errors import UnexpectedReplyError
from toril.core.script import Script


def texts(script: Script, members: Sequence[object]) -> list[str]:
    """Ids and names."""
    return [raw.decode("utf-8", "replace") for raw in raws(script, members)]


def raws(script: Script, members: Sequence[object]) -> list[bytes]:
    """Values as they are stored."""
    read = [member for member in members if isinstance(member, bytes)]
    if len(read) != len(members):
        raise UnexpectedReplyError(script.name, members)
    return read


def numbers(script: Script, members: Sequence[object]) -> list[int]:
    """Counts and times."""
    read = [member for member in members if isinstance(member, int)]
    if len(read) != len(members):
        raise UnexpectedReplyError(script.name, members)
    return read


def fields(script: Script, flat: object) -> dict[bytes, bytes]:
    """A hash, which arrives as a flat list of names and values."""
    if not isinstance(flat, list) or len(flat) % 2:
        raise UnexpectedReplyError(script.name, flat)
    read = raws(script, flat)
    return dict(zip(read[::2], read[1::2], strict=True))
