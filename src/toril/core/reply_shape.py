"""Read a whole reply at once, in C: for those that come often, matching their parts is slow."""

from typing import TypeVar

import msgspec

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Reply
from toril.core.script import Script

S = TypeVar("S", bound=msgspec.Struct)


def shaped(script: Script, reply: Reply, shape: type[S]) -> S:
    """The reply as this Struct, which is `array_like`.

    Raises:
        UnexpectedReplyError: it has another shape.
    """
    try:
        return msgspec.convert(reply, shape, builtin_types=(bytes,))
    except msgspec.ValidationError as error:
        raise UnexpectedReplyError(script.name, reply) from error
