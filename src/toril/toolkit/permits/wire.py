"""Where holders and waiters are stored, and how a token says what it wants."""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from toril.toolkit.keys import Keys
from toril.toolkit.tokens import new_token

SEMAPHORE: Final = "sm"
READ_WRITE: Final = "rw"

MOST_PERMITS: Final = 1_000_000

UNLIMITED: Final = 2**31


class Order(Enum):
    """Whose turn it is, of those who wait."""

    ANY = "any"
    """Whoever asks at the right moment."""

    ARRIVAL = "arrival"
    """Who came first."""

    WRITERS = "writers"
    """Writers; no reader comes in while one waits."""

    READERS = "readers"
    """Readers; a writer comes in when there is none."""


@dataclass(frozen=True, slots=True)
class Room:
    """One thing that is shared: its keys, how many may share it, and whose turn it is."""

    keys: Keys
    name: str
    limit: int
    order: Order

    @property
    def holders(self) -> str:
        """Who is in, by the end of the lease."""
        return self.keys.key(self.name)

    @property
    def fence(self) -> str:
        """The last fence granted."""
        return self.keys.key(self.name, part="f")

    @property
    def sharing(self) -> str:
        """Who waits to share, in order."""
        return self.keys.key(self.name, part="w")

    @property
    def alone(self) -> str:
        """Who waits to be alone, in order."""
        return self.keys.key(self.name, part="x")

    @property
    def alive(self) -> str:
        """Who waits, by the time until which that is believed."""
        return self.keys.key(self.name, part="a")

    @property
    def barred(self) -> str:
        """Who is let in no more, by the time until which that is so."""
        return self.keys.key(self.name, part="b")

    @property
    def channel(self) -> str:
        """Where those who wait listen."""
        return self.keys.key(self.name, part="c")


def token_of(*, is_alone: bool, is_sharded: bool) -> str:
    """What no other claim is called: says what it wants, and in which way it is woken."""
    return f"{'w' if is_alone else 'r'}{'s' if is_sharded else 'p'}{new_token()}"
