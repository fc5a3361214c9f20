"""The two ways to hold something: a lease in hand, or a block that runs under one."""

from collections.abc import Callable
from typing import Final, Never

from toril.toolkit.errors import LockTimeoutError
from toril.toolkit.leases._async.body import AsyncBody
from toril.toolkit.leases._async.desk import AsyncDesk
from toril.toolkit.leases._async.lease import AsyncLease
from toril.toolkit.leases.claim import Claim
from toril.toolkit.leases.terms import Patience, wait_ms


class AsyncGate:
    """Makes a claim for every caller, and has it served."""

    def __init__(self, desk: AsyncDesk, new_claim: Callable[[], Claim[Never]]) -> None:
        self._desk: Final = desk
        self._new_claim: Final = new_claim

    async def acquire(self, wait: Patience) -> AsyncLease | None:
        """Hold it until the lease is released or lost; None when it was not to be had in time."""
        patience_ms = wait_ms(wait, self._desk.settings.wait_ms)
        return await self._desk.acquire(self._new_claim(), patience_ms)

    def hold(self, wait: Patience) -> AsyncBody:
        """Hold it while a block runs, which begins under a lease or not at all."""
        patience_ms = wait_ms(wait, self._desk.settings.wait_ms)

        async def acquire() -> AsyncLease:
            claim = self._new_claim()
            lease = await self._desk.acquire(claim, patience_ms)
            if lease is None:
                raise LockTimeoutError(claim.kind, claim.name, patience_ms or 0)
            return lease

        return AsyncBody(acquire, cancels=self._desk.settings.cancels)

    async def close(self) -> None:
        """Acquire and renew nothing any more."""
        await self._desk.close()
