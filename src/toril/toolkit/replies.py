"""Read answers that many scripts give."""

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Reply
from toril.core.script import Script


def truth(script: Script, reply: Reply) -> bool:
    """Whether it happened: 1 or 0."""
    if reply not in (0, 1):
        raise UnexpectedReplyError(script.name, reply)
    return reply == 1
