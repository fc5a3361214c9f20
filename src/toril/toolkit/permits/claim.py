"""What somebody wants who shares, or wants to be alone."""

from dataclasses import dataclass
from typing import Final

from toril.core.operation import Operation, Repeat
from toril.toolkit.leases.claim import Busy, Granted
from toril.toolkit.permits.operations.give_back import GiveBack
from toril.toolkit.permits.operations.renew import Renew
from toril.toolkit.permits.operations.take import Take
from toril.toolkit.permits.wire import Room

PATIENCE_MS: Final = 2_000
"""A waiter that gives no sign of life for longer is passed over; one that lives looks earlier."""

BAR_MS: Final = 60_000
"""A request that arrives later than this was lost for good."""


@dataclass(frozen=True, slots=True)
class PermitClaim:
    """One attempt of one caller to be let into a room."""

    room: Room
    kind: str
    token: str

    @property
    def name(self) -> str:
        """What the caller calls the room."""
        return self.room.name

    @property
    def channel(self) -> str:
        """Where tokens are named whose turn it is."""
        return self.room.channel

    @property
    def member(self) -> str:
        """What is said there."""
        return self.token

    def acquisition(self, ttl_ms: int, *, waits: bool) -> Operation[Granted | Busy]:
        """Come in, or stand in the line."""
        patience_ms = PATIENCE_MS if waits else 0
        return Take(room=self.room, token=self.token, ttl_ms=ttl_ms, patience_ms=patience_ms)

    def renewal(self, ttl_ms: int) -> Operation[bool]:
        """Stay."""
        return Renew(room=self.room, token=self.token, ttl_ms=ttl_ms)

    def release(self) -> Operation[bool]:
        """Go."""
        return GiveBack(room=self.room, token=self.token, repeat=Repeat.COUNTS)

    def surrender(self, *, in_doubt: bool) -> Operation[object]:
        """Go, from wherever it is."""
        return GiveBack(room=self.room, token=self.token, bar_ms=BAR_MS if in_doubt else 0)
