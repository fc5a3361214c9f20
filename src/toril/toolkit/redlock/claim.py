"""What somebody wants to hold on several servers."""

from collections.abc import Callable

from toril.core.operation import Operation
from toril.toolkit.leases.claim import Busy, Granted
from toril.toolkit.locks.claim import LockClaim


class RedlockClaim:
    """A `Claim` on a lock of several servers; every attempt has a token of its own.

    An attempt that fails is given up, and a server that was silent may hear of that only while the
    next attempt holds the lock there: it must not mean that one.
    """

    kind = LockClaim.kind

    def __init__(self, new_attempt: Callable[[], LockClaim]) -> None:
        self._new_attempt = new_attempt
        self._attempt = new_attempt()

    @property
    def name(self) -> str:
        """What the lock is called."""
        return self._attempt.name

    @property
    def token(self) -> str:
        """Of the attempt that was made last."""
        return self._attempt.token

    @property
    def channel(self) -> str:
        """Where nothing is said: no single server knows whose turn it is."""
        return self._attempt.channel

    @property
    def member(self) -> str:
        """What is not said there."""
        return self._attempt.member

    def acquisition(self, ttl_ms: int, *, waits: bool) -> Operation[Granted | Busy]:
        """Take it. A place in the lines of the servers would be lost with the attempt."""
        del waits
        self._attempt = self._new_attempt()
        return self._attempt.acquisition(ttl_ms, waits=False)

    def renewal(self, ttl_ms: int) -> Operation[bool]:
        """Hold it for longer."""
        return self._attempt.renewal(ttl_ms)

    def release(self) -> Operation[bool]:
        """Let it go."""
        return self._attempt.release()

    def surrender(self, *, in_doubt: bool) -> Operation[None]:
        """Hold nothing."""
        return self._attempt.surrender(in_doubt=in_doubt)
