"""Read an entry, and take the lease on loading it where that is the thing to do."""

from collections.abc import Sequence
from enum import Enum
from typing import ClassVar, Final

import msgspec

from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.reply_shape import shaped
from toril.core.script import Script
from toril.toolkit.cache.wire import EntryKeys

FETCH: Final = Script("toril.toolkit.cache.operations", "fetch")


class Found(Enum):
    """What there is, and what the caller is to do."""

    FRESH = 1
    """Use it."""

    LEADS = 2
    """Load it: the caller has the lease. The value beside is stale, or about to be."""

    STALE = 3
    """Use it: somebody else loads a new one, or the caller only looks."""

    WAITS = 4
    """Wait: somebody else loads it, and there is nothing to use."""

    WRITING = 5
    """Somebody changes what it is made of: load it, and store nothing."""

    FAILED = 6
    """Loading failed lately: use the stale value, if there is one."""

    MISSING = 7
    """Nothing, for a caller that only looks."""


class Fetched(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The entry at one moment."""

    found: Found
    time_us: int
    """The server's clock."""

    left_ms: int
    """How long the value is fresh."""

    generations: bytes
    """Those that were asked for, divided by spaces."""

    raw: bytes
    """The envelope, or nothing."""

    detail: bytes
    """The token of who loads or writes, or why loading failed."""


class Fetch(msgspec.Struct, frozen=True, kw_only=True):
    """Ask for an entry. A second arrival is given the same lease."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: EntryKeys
    generation_keys: Sequence[str]
    """Those that lie where the entry lies."""

    keep_ms: int
    token: str = ""
    lease_ms: int = 0
    draw: float = 0.0
    rejected: bytes = b""

    def call(self) -> ScriptCall:
        keys = self.keys
        return ScriptCall(
            FETCH,
            keys={
                "value_key": keys.value,
                "marker_key": keys.marker,
                "lease_key": keys.lease,
                "writers_key": keys.writers,
            },
            args={
                "generations": msgspec.msgpack.encode(self.generation_keys),
                "keep_ms": self.keep_ms,
                "token": self.token,
                "lease_ms": self.lease_ms,
                "draw": self.draw,
                "rejected": self.rejected,
            },
            touches=self.generation_keys,
        )

    def decode(self, reply: Reply) -> Fetched:
        return shaped(FETCH, reply, Fetched)
