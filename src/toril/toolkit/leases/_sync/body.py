"""A `with` block under a lease. A hand-written pair with `_async/body.py`."""

from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Final, ParamSpec, TypeAlias, TypeVar

from toril.core.errors import BadInputError, OutcomeUnknownError, UnavailableError
from toril.toolkit.errors import LeaseLostError
from toril.toolkit.leases._sync.lease import Lease
from toril.toolkit.leases.hold import NOT_THERE

class Body:
    """Holds while the block runs; a thread cannot be stopped, so the block has to ask.

    `lease.check()` raises and `lease.lost` is set when it is lost; the end of the block raises
    `LeaseLostError`, unless it is only to be flagged, or something else is being raised. A server
    that cannot be told of the release does no harm to what was done under it: it is told in the
    background, and at the latest the lease ends by itself.
    """

    def __init__(self, acquire: Callable[[], Lease], *, cancels: bool) -> None:
        self._acquire: Final = acquire
        self._raises: Final = cancels
        self._lease: Lease | None = None
        self._is_entered = False

    def __enter__(self) -> Lease:
        if self._is_entered:
            raise BadInputError("hold", "is entered already: call it for every block")
        self._is_entered = True
        try:
            lease = self._lease = self._acquire()
        except BaseException:
            self._is_entered = False
            raise
        return lease

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        lease, self._lease = self._lease, None
        self._is_entered = False
        if lease is None:
            return
        why_lost = self._let_go(lease)
        if why_lost and kind is None and self._raises:
            raise LeaseLostError(lease.hold.claim.kind, lease.name, why_lost)

    def _let_go(self, lease: Lease) -> str:
        """Why it had been lost before that; empty when it had not."""
        stood, was_held = lease.hold.look(), True
        with suppress(UnavailableError, OutcomeUnknownError):
            was_held = lease.release()
        if lease.hold.was_lost:
            return lease.hold.why
        return NOT_THERE if stood and not was_held else ""
