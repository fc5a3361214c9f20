"""Who sends the requests of an exchange, so that a lost one can be recognised and forbidden."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from toril.bullmq.wire.keys import QueueKeys

FENCED: Final = [0]
"""How every script answers a request that its sender has given up for lost."""


@dataclass(frozen=True, slots=True)
class Fenced:
    """The request came after its sender had given it up; it changed nothing."""


@dataclass(frozen=True)
class Sender:
    """One line of requests, numbered from 1, each sent after the one before is answered."""

    keys: QueueKeys
    name: str

    @cached_property
    def fence_key(self) -> str:
        """Where the highest number is kept that this sender has given up for lost."""
        return self.keys.own(f"fence:{self.name}")

    def token(self, sequence: int) -> str:
        """What opens the locks of the jobs that this request claims."""
        return f"{self.name}:{sequence}"
