"""Translate what a server or a socket says into the errors of toril; the only place that does.

Servers differ in the text around an error that a script ran into: Redis 6.2 puts a preamble
before the code, Redis 7 and Valkey put the place behind the message.
"""

import os
import re
import ssl
from collections.abc import Sequence
from enum import Enum, auto
from typing import Final

import hiredis

from toril.core.errors import DeniedError, ScriptError, TorilError, UnavailableError

_PREAMBLE: Final = re.compile(
    r"^ERR Error running script \(call to \w+\): (?:@user_script: ?\d+: )+-?"
)
_PLACE: Final = re.compile(r" script: (?:\w+, )?on @user_script:\d+\.?$")
_ACL: Final = re.compile(r"^(?:ERR )?(?:ACL failure in script|The user executing the script can't)")
_ASK: Final = re.compile(r"^ASK \d+ (.+):(\d+)$")


class Kind(Enum):
    """What a refusal asks of us."""

    UNLOADED = auto()
    """The server does not know the script: load it, send again."""

    ELSEWHERE = auto()
    """Another server has the key: find it, send again."""

    PASSING = auto()
    """Not now: send again in a moment."""

    REFUSING = auto()
    """Not until somebody acts: tell the caller, nothing was done."""

    DENIED = auto()
    """Not to you."""

    FAULT = auto()
    """The script ran into something that no repetition will change."""


_KINDS: Final = {
    "NOSCRIPT": Kind.UNLOADED,
    "MOVED": Kind.ELSEWHERE,
    "ASK": Kind.ELSEWHERE,
    "READONLY": Kind.ELSEWHERE,
    "MASTERDOWN": Kind.ELSEWHERE,
    "CLUSTERDOWN": Kind.ELSEWHERE,
    "UNBLOCKED": Kind.ELSEWHERE,
    "TRYAGAIN": Kind.PASSING,
    "LOADING": Kind.PASSING,
    "BUSY": Kind.PASSING,
    "OOM": Kind.REFUSING,
    "MISCONF": Kind.REFUSING,
    "NOREPLICAS": Kind.REFUSING,
    "NOAUTH": Kind.DENIED,
    "WRONGPASS": Kind.DENIED,
    "NOPERM": Kind.DENIED,
}


class Refusal(Exception):  # noqa: N818 - hiredis puts it into replies; it is never raised
    """An error reply of the server, told apart from whatever an ordinary reply may hold."""

    @property
    def text(self) -> str:
        """What the server said, without what it wraps around errors inside scripts."""
        return _PLACE.sub("", _PREAMBLE.sub("", str(self.args[0])))

    @property
    def kind(self) -> Kind:
        """What to do about it."""
        text = self.text
        if _ACL.match(text):
            return Kind.DENIED
        if text.startswith("ERR max number of clients"):
            return Kind.PASSING
        return _KINDS.get(text.partition(" ")[0], Kind.FAULT)

    @property
    def ask_at(self) -> tuple[str, int] | None:
        """Host and port that have this key already, while its slot is on the move."""
        match = _ASK.match(self.text)
        return (match[1], int(match[2])) if match else None

    def as_error(self, server: str, operation: str) -> TorilError:
        """The error for the caller."""
        match self.kind:
            case Kind.FAULT:
                return ScriptError(operation, self.text)
            case Kind.DENIED:
                return DeniedError(server, self.text)
            case _:
                return UnavailableError(server, self.text)


class LostError(Exception):
    """A channel broke, or stayed silent too long; `replies` came before that. Stays in here."""

    def __init__(self, problem: str, replies: list[object] | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.replies = replies or []


def explain(error: BaseException) -> str:
    """What happened to a connection, shortly."""
    match error:
        case LostError(problem=problem):
            return problem
        case TimeoutError():
            return "no answer in time"
        case EOFError():
            return "the server closed the connection"
        case hiredis.HiredisError():
            return f"this is not the Redis protocol: {error}"
        case OSError(errno=int(number)) if number > 0 and not isinstance(error, ssl.SSLError):
            # asyncio puts a text of its own where the system's should be.
            return os.strerror(number).lower()
        case _:
            return str(error) or type(error).__name__


def explain_end(error: BaseException | None, replies: Sequence[object]) -> str:
    """Why a connection ended; a server that refuses one says so and hangs up."""
    last = replies[-1] if replies else None
    return last.text if isinstance(last, Refusal) else explain(error or EOFError())
