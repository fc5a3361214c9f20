"""What somebody wants who would run a key."""

from dataclasses import dataclass
from typing import Final

from toril.core.operation import Operation
from toril.toolkit.leases.claim import Busy, Granted
from toril.toolkit.once.operations.abandon import Abandon
from toril.toolkit.once.operations.begin import Begin, Ended
from toril.toolkit.once.operations.renew import Renew
from toril.toolkit.once.wire import RunKeys

BAR_MS: Final = 60_000
"""A request that arrives later than this was lost for good."""


@dataclass(frozen=True, slots=True)
class RunClaim:
    """One attempt of one caller to run a key."""

    keys: RunKeys
    token: str
    kind: str = "run"

    @property
    def name(self) -> str:
        """The object's; the key is nobody's business."""
        return self.keys.name

    @property
    def channel(self) -> str:
        """Where it is said that the run has ended."""
        return self.keys.channel

    @property
    def member(self) -> str:
        """Its own, though everybody is meant by what is said."""
        return self.token

    def acquisition(self, ttl_ms: int, *, waits: bool) -> Operation[Granted | Busy | Ended]:
        """Begin, or hear how it ended. Waiting leaves nothing on the server."""
        del waits
        return Begin(keys=self.keys, owner=self.token, lease_ms=ttl_ms)

    def renewal(self, ttl_ms: int) -> Operation[bool]:
        """It goes on."""
        return Renew(keys=self.keys, owner=self.token, lease_ms=ttl_ms)

    def release(self) -> Operation[bool]:
        """It has not ended well."""
        return Abandon(keys=self.keys, owner=self.token)

    def surrender(self, *, in_doubt: bool) -> Operation[object]:
        """It does not begin, or has not ended well."""
        return Abandon(keys=self.keys, owner=self.token, bar_ms=BAR_MS if in_doubt else 0)
