"""An operation on its way: packed once, sent as often as allowed, its reply read once."""

from collections.abc import Sequence
from typing import Final, Generic, TypeAlias, TypeVar

import hiredis

from toril.connection.refusal import Refusal
from toril.core.errors import TorilError
from toril.core.operation import Argument, BlockingRead, Operation, Repeat, Reply

R_co = TypeVar("R_co", covariant=True)


class Request(Generic[R_co]):
    """The bytes of one operation, with what is needed to route, repeat and read it."""

    __slots__ = ("_operation", "key", "name", "packed", "script")

    def __init__(self, operation: Operation[R_co]) -> None:
        call = operation.call()
        script = call.script
        keys = call.all_keys
        args = call.arguments
        self._operation = operation
        self.script: Final = script
        self.name: Final = script.name
        self.key: Final = keys[0] if keys else ""
        self.packed: Final = pack("EVALSHA", script.sha, len(keys), *keys, *args)

    @property
    def may_repeat(self) -> bool:
        """Whether it may be sent again when the reply was lost."""
        return self._operation.repeat is not Repeat.COUNTS

    def read(self, reply: Reply, server: str) -> R_co | TorilError:
        """The outcome, or the error in its place."""
        if isinstance(reply, Refusal):
            return reply.as_error(server, self.name)
        try:
            return self._operation.decode(reply)
        except TorilError as error:
            return error


class BlockingRequest(Generic[R_co]):
    """The bytes of one blocking command."""

    __slots__ = ("_read", "block_ms", "key", "name", "packed")

    def __init__(self, read: BlockingRead[R_co]) -> None:
        command = read.command()
        self._read = read
        self.block_ms: Final = read.block_ms
        self.key: Final = command.key
        self.name: Final = str(command.words[0])
        self.packed: Final = pack(*command.words)

    def read(self, reply: Reply, server: str) -> R_co | TorilError:
        """The outcome, or the error in its place."""
        if isinstance(reply, Refusal):
            return reply.as_error(server, self.name)
        try:
            return self._read.decode(reply)
        except TorilError as error:
            return error


AnyRequest: TypeAlias = "Request[object] | BlockingRequest[object]"


def pack(*words: Argument) -> bytes:
    """One plain command."""
    # The stub of hiredis wants a tuple of one item.
    packed: bytes = hiredis.pack_command(words)  # type: ignore[arg-type]
    return packed


def pack_all(requests: Sequence[AnyRequest]) -> bytes:
    """All of them, for one write."""
    if len(requests) == 1:
        return requests[0].packed
    return b"".join([request.packed for request in requests])
