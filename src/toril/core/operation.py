"""What every operation is: a script call out, a typed value back, and no I/O."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, TypeAlias, TypeVar

import msgspec

from toril.core.script import Script

Argument: TypeAlias = str | bytes | int | float
Reply: TypeAlias = object

R_co = TypeVar("R_co", covariant=True)


class Repeat(Enum):
    """What sending an operation a second time would do, so who may retry it."""

    READS = "reads"
    """Changes nothing: send it again freely."""

    SAME_TOKEN = "same token"  # noqa: S105 - a word, not a secret
    """The script recognises its own token: a second arrival has no further effect."""

    COUNTS = "counts"
    """Each arrival has its effect: after a lost reply the outcome is unknown, and stays so."""


class ScriptCall(msgspec.Struct, frozen=True):
    """A script with its keys and arguments, by name.

    `touches` are further keys that the script works out by itself: they are declared behind the
    named ones, for the server to check permissions, and to know where a slot on the move is.
    """

    script: Script
    keys: Mapping[str, str]
    args: Mapping[str, Argument]
    touches: Sequence[str] = ()

    @property
    def all_keys(self) -> list[str]:
        """Every key to declare, the named ones first and in the order of the signature."""
        return [*self.script.in_order("KEYS", self.keys), *self.touches]

    @property
    def arguments(self) -> list[Argument]:
        """The arguments in the order of the signature."""
        return self.script.in_order("ARGV", self.args)


class Operation(Protocol[R_co]):
    """One thing toril asks Redis to do, described without doing it."""

    @property
    def repeat(self) -> Repeat:
        """Whether it may be sent again when the reply to it was lost."""
        ...

    def call(self) -> ScriptCall:
        """The script to run, with its keys and arguments by name."""
        ...

    def decode(self, reply: Reply, /) -> R_co:
        """Read the reply of the script, or raise `UnexpectedReplyError`."""
        ...


@dataclass(frozen=True, slots=True)
class Command:
    """A plain command with the key that decides which node gets it."""

    key: str
    words: tuple[Argument, ...]


class BlockingRead(Protocol[R_co]):
    """A command that waits on the server until there is something to read.

    The reader adds its own deadline to `block_ms`: a server that says nothing for longer
    than that is taken for dead, whatever the socket believes.
    """

    @property
    def block_ms(self) -> int:
        """How long the server may hold the reply back."""
        ...

    def command(self) -> Command:
        """The command to send, its block time included."""
        ...

    def decode(self, reply: Reply, /) -> R_co:
        """Read the reply; nothing in time is a value of its own, not an error."""
        ...


class ServerQuestion(Protocol[R_co]):
    """A command that asks a server about itself, not about a key; it changes nothing."""

    def words(self) -> tuple[Argument, ...]:
        """The command to send."""
        ...

    def decode(self, reply: Reply, /) -> R_co:
        """Read the reply, or raise `UnexpectedReplyError`."""
        ...
