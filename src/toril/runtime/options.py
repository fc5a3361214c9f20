"""What can be set on an engine, checked once."""

from dataclasses import dataclass, fields
from typing import ClassVar, Final

from toril.core.errors import BadInputError

_LIMITS: Final = {
    "concurrency": (1, 100_000),
    "batch": (1, 1_000),
    "lease_ms": (100, 86_400_000),
    "doorbell_ms": (1, 10_000),
    "drain_ms": (0, 86_400_000),
    "grace_ms": (0, 60_000),
    "shutdown_ms": (0, 86_400_000),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """How much an engine does at once, and how long it waits for what."""

    SECOND_LANE_FROM: ClassVar[int] = 10
    """Slots from which a second exchange pays: below, its batches would be too small."""

    LARGE_BATCH: ClassVar[int] = 25
    """Jobs that are always worth an exchange of their own."""

    concurrency: int = 1
    """How many handlers run at the same time."""

    batch: int = 100
    """The most jobs one exchange settles, and the most it claims."""

    lease_ms: int = 30_000
    """How long the store keeps a job for this worker without hearing from it."""

    doorbell_ms: int = 5_000
    """The longest one wait for work may take, so that a dead connection is noticed."""

    drain_ms: int = 25_000
    """How long running handlers may go on after the first request to stop."""

    grace_ms: int = 2_000
    """How long a cancelled handler may take to clean up."""

    shutdown_ms: int = 30_000
    """The whole way from the first request to the end, whatever the store does."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            least, most = _LIMITS[field.name]
            if type(value) is not int or not least <= value <= most:
                raise BadInputError(
                    field.name, f"{value!r} is not a whole number from {least} to {most}"
                )
        if self.drain_ms > self.shutdown_ms:
            raise BadInputError(
                "drain_ms", f"{self.drain_ms} is longer than shutdown_ms, {self.shutdown_ms}"
            )

    @property
    def renew_after_ms(self) -> int:
        """The age at which a lease is renewed."""
        return self.lease_ms // 2

    @property
    def check_every_ms(self) -> int:
        """How often the lease keeper looks for leases of that age."""
        return self.lease_ms // 6

    @property
    def renew_retry_ms(self) -> int:
        """How soon the lease keeper tries again after an error."""
        return self.lease_ms // 12

    @property
    def lanes(self) -> int:
        """How many exchanges may be in flight at once."""
        return 2 if self.concurrency >= self.SECOND_LANE_FROM else 1

    @property
    def lane_batch(self) -> int:
        """The most jobs of one exchange when the lanes share the slots."""
        return min(self.batch, -(-self.concurrency // self.lanes))

    @property
    def pays_beside_another(self) -> int:
        """Jobs from which an exchange is worth sending while another one is in flight."""
        return min(self.LARGE_BATCH, self.lane_batch)
