"""What a cache stores: the names of its keys, and the envelope around every value.

The lease, the writers and the version of an entry lie beside it under another pattern, because
memory in front of Redis listens to all of the first: it is told of values, not of who loads them.
"""

import struct
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import msgspec

from toril.core.errors import UndecodableError
from toril.toolkit.keys import tag

TRACKED: Final = "c"
UNTRACKED: Final = "cl"

VERSION: Final = 1
"""Of the envelope; what has another one is not read."""

_REMEMBERED: Final = 4_096
"""Names that are worked out once, of those that were used last."""

# Scripts read and write the same form, in `read_entry.lua` and `store_entry.lua`.
_HEAD: Final = struct.Struct("<BBQQQBHI")
_TAGS: Final = msgspec.msgpack.Decoder(list[str])


class EntryKeys(msgspec.Struct, frozen=True):
    """The keys of one entry, all in one slot."""

    value: str
    """The envelope."""

    marker: str
    """Why loading failed lately."""

    lease: str
    """Who loads it now."""

    writers: str
    """Who changes what it is made of now, so that nothing may be stored."""

    version: str
    """The highest version that was ever stored."""

    changed: str
    """When it was last invalidated or written, if that was lately."""


class CacheKeys(msgspec.Struct, frozen=True):
    """The keys of one cache."""

    prefix: str
    name: str

    @lru_cache(_REMEMBERED)  # noqa: B019 - one for all caches, and bounded
    def entry(self, key: str) -> EntryKeys:
        """Those of one entry."""
        slot = f"{{{tag(self.name, key)}}}"
        tracked = f"{self.prefix}:{TRACKED}:{slot}"
        beside = f"{self.prefix}:{UNTRACKED}:{slot}"
        return EntryKeys(
            value=f"{tracked}:v",
            marker=f"{tracked}:e",
            lease=beside,
            writers=f"{beside}:writers",
            version=f"{beside}:version",
            changed=f"{beside}:changed",
        )

    @lru_cache(_REMEMBERED)  # noqa: B019 - likewise
    def generation(self, tag_name: str | None) -> str:
        """The key of the generation of a tag, or of the whole cache."""
        if tag_name is None:
            return f"{self.prefix}:{TRACKED}:{{{tag(self.name)}}}:gen"
        return f"{self.prefix}:{TRACKED}:{{{tag(self.name, tag_name)}}}:tag"

    @property
    def tracked(self) -> tuple[str, ...]:
        """What the keys of all values, markers and generations begin with, and no others."""
        within = tag(self.name, "x").removesuffix("x")
        return (f"{self.prefix}:{TRACKED}:{{{within}", self.generation(None))

    def generations(self, tags: Sequence[str]) -> list[str]:
        """The keys of the generations of the whole cache and of these tags."""
        return [self.generation(None), *map(self.generation, tags)]


class Envelope(msgspec.Struct, frozen=True):
    """A value as it is stored, with all that decides whether it may be used."""

    codec: int
    soft_us: int
    """Until when it is fresh, by the server's clock."""

    compute_us: int
    """How long its loader took."""

    stored_us: int
    stamp: bytes
    """Unlike that of every other value: the token it was stored with."""

    generations: bytes
    """Of the cache and of each tag, in order, as they were before the loader ran."""

    packed_tags: bytes
    payload: bytes

    @staticmethod
    def read(raw: bytes) -> "Envelope | None":
        """Take an envelope apart; None when it is none, or one of another version of toril."""
        if len(raw) < _HEAD.size:
            return None
        version, codec, soft, compute, stored, stamp, generations, tags = _HEAD.unpack_from(raw)
        tags_at = _HEAD.size + stamp + generations
        if version != VERSION or len(raw) < tags_at + tags:
            return None
        return Envelope(
            *(codec, soft, compute, stored),
            stamp=raw[_HEAD.size : _HEAD.size + stamp],
            generations=raw[_HEAD.size + stamp : tags_at],
            packed_tags=raw[tags_at : tags_at + tags],
            payload=raw[tags_at + tags :],
        )

    @property
    def tags(self) -> list[str]:
        """The tags, by name.

        Raises:
            UndecodableError: they cannot be read.
        """
        return unpacked_tags(self.packed_tags)


def packed_tags(tags: Sequence[str]) -> bytes:
    """Tags as they stand in an envelope."""
    return msgspec.msgpack.encode(tags) if tags else b""


def unpacked_tags(packed: bytes) -> list[str]:
    """Tags from an envelope.

    Raises:
        UndecodableError: they cannot be read.
    """
    try:
        return _TAGS.decode(packed) if packed else []
    except (msgspec.MsgspecError, ValueError) as error:
        raise UndecodableError("tags", f"{error}") from error
