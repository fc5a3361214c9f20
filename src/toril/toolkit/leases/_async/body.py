"""An `async with` block under a lease. A hand-written pair with `_sync/body.py`."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import TracebackType
from typing import Final

from toril.core.errors import BadInputError, OutcomeUnknownError, UnavailableError
from toril.runtime.thread_calls import call_in
from toril.toolkit.errors import LeaseLostError
from toril.toolkit.leases._async.lease import AsyncLease
from toril.toolkit.leases.hold import NOT_THERE


class AsyncBody:
    """Holds while the block runs, and cancels it when the lease is lost, unless told to flag it.

    Whoever loses the lease leaves the block by `LeaseLostError`. A server that cannot be told of
    the release does no harm to what was done under it: it is told in the background, and at the
    latest the lease ends by itself.
    """

    def __init__(self, acquire: Callable[[], Awaitable[AsyncLease]], *, cancels: bool) -> None:
        self._acquire: Final = acquire
        self._cancels: Final = cancels
        self._lease: AsyncLease | None = None
        self._is_entered = False
        self._task: asyncio.Task[object] | None = None
        self._cancelling = 0
        self._did_cancel = False

    async def __aenter__(self) -> AsyncLease:
        if self._is_entered:
            raise BadInputError("hold", "is entered already: call it for every block")
        self._is_entered = True
        try:
            lease = self._lease = await self._acquire()
        except BaseException:
            self._is_entered = False
            raise
        task = asyncio.current_task()
        if self._cancels and task:
            self._task, self._cancelling = task, task.cancelling()
            loop = asyncio.get_running_loop()
            lease.hold.on_lost(lambda: call_in(loop, self._cancel))
        return lease

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        task, self._task = self._task, None
        lease, self._lease = self._lease, None
        self._is_entered = False
        if lease is None:
            return
        why_lost = await self._let_go(lease)
        is_ours = self._did_cancel and task is not None and task.uncancel() <= self._cancelling
        is_to_tell = (kind is None and self._cancels) or (
            is_ours and kind is asyncio.CancelledError
        )
        if why_lost and is_to_tell:
            raise LeaseLostError(lease.hold.claim.kind, lease.name, why_lost) from error

    async def _let_go(self, lease: AsyncLease) -> str:
        """Why it had been lost before that; empty when it had not."""
        stood, was_held = lease.hold.look(), True
        with suppress(UnavailableError, OutcomeUnknownError):
            was_held = await lease.release()
        if lease.hold.was_lost:
            return lease.hold.why
        return NOT_THERE if stood and not was_held else ""

    def _cancel(self) -> None:
        if self._task and not self._did_cancel:
            self._did_cancel = True
            self._task.cancel()
