"""Names with any bytes in them as one argument of a script, and names of keys as text."""

from collections.abc import Iterable


def netstrings(names: Iterable[str]) -> bytes:
    """`3:abc` for each, one after the other."""
    raw = (to_bytes(name) for name in names)
    return b"".join(b"%d:%s" % (len(each), each) for each in raw)


def to_bytes(name: str) -> bytes:
    """The name of a key as it is stored."""
    return name.encode("utf-8", "surrogateescape")


def to_text(raw: bytes) -> str:
    """The name of a key; bytes that are no text come back by `to_bytes`."""
    return raw.decode("utf-8", "surrogateescape")


def glob_of(beginning: str) -> bytes:
    """A pattern of the keys that begin so."""
    return to_bytes("".join(f"\\{c}" if c in "*?[]\\" else c for c in beginning) + "*")
