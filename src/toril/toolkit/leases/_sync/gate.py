"""The two ways to hold something: a lease in hand, or a block that runs under one."""  # generated from _async/gate.py by tools/generate_sync.py: edit that file

from collections.abc import Callable
from typing import Final, Never

from toril.toolkit.errors import LockTimeoutError
from toril.toolkit.leases._sync.body import Body
from toril.toolkit.leases._sync.desk import Desk
from toril.toolkit.leases._sync.lease import Lease
from toril.toolkit.leases.claim import Claim
from toril.toolkit.leases.terms import Patience, wait_ms


class Gate:
    """Makes a claim for every caller, and has it served."""

    def __init__(self, desk: Desk, new_claim: Callable[[], Claim[Never]]) -> None:
        self._desk: Final = desk
        self._new_claim: Final = new_claim

    def acquire(self, wait: Patience) -> Lease | None:
        """Hold it until the lease is released or lost; None when it was not to be had in time."""
        patience_ms = wait_ms(wait, self._desk.settings.wait_ms)
        return self._desk.acquire(self._new_claim(), patience_ms)

    def hold(self, wait: Patience) -> Body:
        """Hold it while a block runs, which begins under a lease or not at all."""
        patience_ms = wait_ms(wait, self._desk.settings.wait_ms)

        def acquire() -> Lease:
            claim = self._new_claim()
            lease = self._desk.acquire(claim, patience_ms)
            if lease is None:
                raise LockTimeoutError(claim.kind, claim.name, patience_ms or 0)
            return lease

        return Body(acquire, cancels=self._desk.settings.cancels)

    def close(self) -> None:
        """Acquire and renew nothing any more."""
        self._desk.close()
