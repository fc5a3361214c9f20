"""Keys as the scripts of the doctor tell them, made into what the laws look at."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from toril.bullmq.doctor.snapshot import Content, Key
from toril.bullmq.wire.netstrings import to_text


def key_of(kind: bytes, ttl_ms: int, content: Sequence[bytes]) -> Key:
    """A key with what was read of it; a hash may have come without its values."""
    name = to_text(kind)
    read = _READERS.get(name, _nothing)
    return Key(name, read([to_text(raw) for raw in content]), ttl_ms if ttl_ms >= 0 else None)


def names_key(kind: bytes, ttl_ms: int, names: Sequence[bytes]) -> Key:
    """A hash of which only the names of its fields were read; other types as they are."""
    if kind == b"hash":
        return Key("hash", dict.fromkeys(map(to_text, names), ""), ttl_ms if ttl_ms >= 0 else None)
    return key_of(kind, ttl_ms, names)


def _nothing(_: list[str]) -> Content:
    return ""


def _scores(flat: list[str]) -> Content:
    return {member: float(score) for member, score in zip(flat[::2], flat[1::2], strict=True)}


_READERS: Final[Mapping[str, Callable[[list[str]], Content]]] = {
    "string": "".join,
    "list": lambda members: members,
    "set": frozenset,
    "hash": lambda flat: dict(zip(flat[::2], flat[1::2], strict=True)),
    "zset": _scores,
    "stream": lambda _: [],
}
