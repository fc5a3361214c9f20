"""What somebody wants to hold, and the operations that get it, keep it and let it go."""

from dataclasses import dataclass
from typing import Protocol, TypeVar

from toril.core.operation import Operation

E_co = TypeVar("E_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Granted:
    """It is held now. Of two grants of one name the later has the greater fence."""

    fence: int


@dataclass(frozen=True, slots=True)
class Busy:
    """Others have it, for this long unless they say something."""

    for_ms: int


class Claim(Protocol[E_co]):
    """One attempt of one caller to hold something: a value, made anew for every acquisition.

    Every operation recognises the token, so that each may arrive twice, and late. `E_co` is what
    may be heard instead, when there is nothing to hold any more; for most kinds there is no such.
    """

    @property
    def name(self) -> str:
        """What the caller calls it; for errors and events."""
        ...

    @property
    def kind(self) -> str:
        """Such as `lock`; for errors and events."""
        ...

    @property
    def token(self) -> str:
        """Whose it is; no other claim has it."""
        ...

    @property
    def channel(self) -> str:
        """Where it is said whose turn it is; a key of the same slot."""
        ...

    @property
    def member(self) -> str:
        """What is said there when it is this claim's turn."""
        ...

    def acquisition(self, ttl_ms: int, *, waits: bool) -> Operation[Granted | Busy | E_co]:
        """Take it, if it is free; else, for one that waits, a place among those who do.

        What is held by this token already is granted again.
        """
        ...

    def renewal(self, ttl_ms: int) -> Operation[bool]:
        """Hold it for at least this long from now; False when it is not held any more."""
        ...

    def release(self) -> Operation[bool]:
        """Let it go; False when it was not held any more."""
        ...

    def surrender(self, *, in_doubt: bool) -> Operation[object]:
        """Hold nothing and wait no more.

        In doubt, an acquisition of this token that is still on its way gets nothing either.
        """
        ...
