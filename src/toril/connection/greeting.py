"""The first words on a new connection, sent in one write, and what their replies mean."""

from collections.abc import Sequence
from importlib.metadata import version
from typing import Final

from toril.connection.refusal import Kind, Refusal
from toril.connection.request import pack
from toril.connection.target import Session
from toril.core.errors import UnavailableError
from toril.core.operation import Reply

_LIBRARY: Final = pack("CLIENT", "SETINFO", "LIB-NAME", "toril") + pack(
    "CLIENT", "SETINFO", "LIB-VER", version("toril")
)


class Greeting:
    """Who we are, what we are called, and which database we want.

    Older servers do not know SETINFO and a narrow account may not name its connection: both are
    courtesies, so their refusal is ignored. A refusal that would meet every later command counts.
    """

    def __init__(self, session: Session, credentials: Sequence[str]) -> None:
        login = pack("AUTH", *credentials) if credentials else b""
        select = pack("SELECT", session.db) if session.db else b""
        name = pack("CLIENT", "SETNAME", session.client_name)
        self.packed: Final = login + name + _LIBRARY + select
        self.count: Final = 3 + bool(login) + bool(select)
        self._first: Final = bool(login)
        self._last: Final = bool(select)

    def check(self, replies: Sequence[Reply], server: str) -> None:
        """Raise when the server does not want us, or not now."""
        essential = [replies[0]] * self._first + [replies[-1]] * self._last
        for reply in replies:
            if isinstance(reply, Refusal) and (reply in essential or _concerns_everything(reply)):
                error = reply.as_error(server, "the greeting")
                raise (
                    error if reply.kind is not Kind.FAULT else UnavailableError(server, reply.text)
                )


def _concerns_everything(refusal: Refusal) -> bool:
    return refusal.text.startswith(("NOAUTH", "ERR max number of clients"))
