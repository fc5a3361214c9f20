"""A store seen from outside, and the few steps that every test of a source is made of."""

from collections.abc import Sequence
from typing import Final, Protocol

from toril.runtime.source import Claimed, Effect, Ending, Exchange, Outcome, Raised, Source

LONG_MS: Final = 60_000
SOON_MS: Final = 50
PATIENCE_S: Final = 5.0
OOPS: Final = Raised(ValueError("oops"))


class Harness(Protocol):
    """A store seen from outside: the suite adds jobs, looks at them, and makes time pass."""

    lease_ms: int
    """How long the leases of its sources last."""

    max_losses: int
    """How often a job may be lost and still be put back."""

    async def source(self) -> Source[object]:
        """Another worker's source on the same store, open."""
        ...

    async def add(
        self,
        job_id: str,
        *,
        delay_ms: int = 0,
        priority: int = 0,
        attempts: int = 1,
        backoff_ms: int = 0,
    ) -> None:
        """Add a job that keeps to these."""
        ...

    async def state_of(self, job_id: str) -> str:
        """One of waiting, delayed, active, completed, failed."""
        ...

    async def cancel(self, job_id: str) -> None:
        """Cancel this job, which runs or waits."""
        ...

    async def break_lease(self, job_id: str) -> None:
        """End the lease on this active job, as if its worker had been silent for too long."""
        ...

    async def pass_time(self, ms: int) -> None:
        """Let this much time pass in the store."""
        ...

    async def reap_again(self) -> None:
        """Let the next `reap` of any source really look, however recent the last one was."""
        ...


def ids(claims: Exchange[object]) -> list[str]:
    return [claimed.lease.job_id for claimed in claims.claimed]


def settling(claimed: Sequence[Claimed[object]], ending: Ending) -> list[Outcome[object]]:
    return [Outcome(claim, ending) for claim in claimed]


async def claim(source: Source[object], want: int = 1) -> list[Claimed[object]]:
    return list((await source.exchange([], want)).claimed)


async def settle(source: Source[object], claimed: Claimed[object], ending: Ending) -> Effect:
    [settled] = (await source.exchange(settling([claimed], ending), 0)).settled
    return settled.effect
