"""What is stored for a lock, and where.

    <prefix>:lk:{name}     token|fence|holder while it is held; lives as long as the lease
    <prefix>:lk:{name}:f   the newest fence; 400 days after the last acquisition
    <prefix>:lk:{name}:w   who waits, by arrival; also the channel that says whose turn it is
    <prefix>:lk:{name}:s   who waits, by when they are given up if nothing is heard of them
    <prefix>:lk:{name}:x   tokens that were given up in doubt: they acquire nothing any more
    <prefix>:fe:{name}     the newest fence that was let through to a resource; 400 days

`holder` is JSON, for people: `{"label": …, "host": …, "pid": …}`. A waiter is its token, behind an
`s` when it hears sharded messages, or a `p` when it hears plain ones.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import msgspec

from toril.core.errors import UndecodableError
from toril.toolkit.keys import Keys

LOCK: Final = "lk"
FENCE: Final = "fe"
SHARDED: Final = "s"
PLAIN: Final = "p"

_PARTS: Final = 3


@dataclass(frozen=True)
class LockKeys:
    """The keys of one lock; made once, since a lock is taken many times."""

    keys: Keys
    name: str

    @cached_property
    def lock(self) -> str:
        """Who holds it."""
        return self.keys.key(self.name)

    @cached_property
    def fence(self) -> str:
        """The newest fence."""
        return self.keys.key(self.name, part="f")

    @cached_property
    def waiters(self) -> str:
        """Who waits, by arrival; the channel has the same name."""
        return self.keys.key(self.name, part="w")

    @cached_property
    def seen(self) -> str:
        """Who waits, by when they are given up."""
        return self.keys.key(self.name, part="s")

    @cached_property
    def spent(self) -> str:
        """Tokens that were given up in doubt."""
        return self.keys.key(self.name, part="x")


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock, as a person wants to know it."""

    label: str
    host: str
    pid: int

    @property
    def stored(self) -> str:
        """As it is stored."""
        return msgspec.json.encode(self).decode()


def read_held(stored: bytes) -> tuple[int, Holder]:
    """The fence and the holder of a lock that is held.

    Raises:
        UndecodableError: it is not what a lock stores.
    """
    parts = stored.split(b"|", _PARTS - 1)
    if len(parts) == _PARTS and parts[1].isdigit():
        try:
            return int(parts[1]), msgspec.json.decode(parts[2], type=Holder)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise UndecodableError("the holder", str(error)) from error
    raise UndecodableError("the lock", "it does not say who holds it")
