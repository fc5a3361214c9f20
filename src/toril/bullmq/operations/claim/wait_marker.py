"""Sleep on the server until somebody marks that there may be work."""

from dataclasses import dataclass
from typing import Final

from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Command, Reply

SHORTEST_BLOCK_MS: Final = 2
"""Servers before 7.0.8 take a shorter block for one without end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitMarker:
    """Pop the marker, for at most `block_ms`; True when there was one.

    Popping consumes it, and one marker wakes one worker: whoever pops it must look for work.
    """

    keys: QueueKeys
    block_ms: int

    def command(self) -> Command:
        block_s = max(self.block_ms, SHORTEST_BLOCK_MS) / 1000
        return Command(self.keys.marker, ("BZPOPMIN", self.keys.marker, block_s))

    def decode(self, reply: Reply) -> bool:
        match reply:
            case None:
                return False
            case [bytes(), bytes(), _]:
                return True
            case _:
                raise UnexpectedReplyError("BZPOPMIN", reply)
