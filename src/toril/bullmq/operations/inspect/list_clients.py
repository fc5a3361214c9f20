"""Who is connected to a server."""

from collections.abc import Sequence
from dataclasses import dataclass

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Argument, Reply


@dataclass(frozen=True, slots=True)
class Client:
    """One connection, as its server tells of it."""

    name: str
    address: str
    database: int
    age_s: int
    idle_s: int
    library: str


@dataclass(frozen=True, slots=True)
class ListClients:
    """Ask for all of them; what is not told is empty or 0."""

    def words(self) -> tuple[Argument, ...]:
        return ("CLIENT", "LIST")

    def decode(self, reply: Reply) -> Sequence[Client]:
        if not isinstance(reply, bytes):
            raise UnexpectedReplyError("CLIENT LIST", reply)
        return [_client(line) for line in reply.decode("utf-8", "replace").splitlines() if line]


def _client(line: str) -> Client:
    # Servers refuse names with spaces, so a space ends a field.
    told = dict(word.partition("=")[::2] for word in line.split(" "))
    return Client(
        name=told.get("name", ""),
        address=told.get("addr", ""),
        database=_number(told.get("db")),
        age_s=_number(told.get("age")),
        idle_s=_number(told.get("idle")),
        library=told.get("lib-name", ""),
    )


def _number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() else 0
