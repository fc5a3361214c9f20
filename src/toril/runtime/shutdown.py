"""The way from the first request to stop to the last lease: every step has its deadline."""

import asyncio
from typing import Final, Generic, TypeVar

from toril.runtime.ledger import Ledger
from toril.runtime.options import EngineOptions
from toril.runtime.race import cancel, race
from toril.runtime.reports import Reports
from toril.runtime.runs import Runs
from toril.runtime.source import Source
from toril.runtime.stop_request import StopRequest, Urgency

J = TypeVar("J")

CLOSING_S: Final = 1.5
"""Kept back from the deadline for letting go of threads and connections."""

_LEAST_S: Final = 0.2


class Shutdown(Generic[J]):
    """Ends what an engine runs, in the order written at the top of `engine.py`."""

    def __init__(
        self,
        source: Source[J],
        ledger: Ledger[J],
        runs: Runs[J],
        *,
        request: StopRequest,
        reports: Reports,
        options: EngineOptions,
    ) -> None:
        self._source = source
        self._ledger = ledger
        self._runs = runs
        self._request = request
        self._reports = reports
        self._options = options
        self._end_at = asyncio.get_running_loop().time() + options.shutdown_ms / 1_000

    async def drain(self) -> None:
        """Let the handlers finish and the store hear of it, until told to stop at once."""
        await race(
            self._ledger.until_quiet(),
            self._request.reached(Urgency.AT_ONCE),
            timeout_s=self._options.drain_ms / 1_000,
        )

    async def cancel(self) -> None:
        """Cancel the handlers that still run, and let them clean up."""
        grace_s = self._options.grace_ms / 1_000
        if self._request.has_reached(Urgency.AT_ONCE):
            now = asyncio.get_running_loop().time()
            self._end_at = min(self._end_at, now + grace_s + CLOSING_S + _LEAST_S)
        self._runs.cancel_all()
        await race(self._ledger.until_quiet(), timeout_s=min(grace_s, self._left_s()))

    async def give_back(self, last: set[asyncio.Task[None]]) -> int:
        """End what went on until now, and return every lease that is left; count them.

        An outcome that could not be settled goes with its lease: the job runs twice rather
        than never.
        """
        await cancel(last)
        leases = [outcome.claimed.lease for outcome in self._ledger.leftovers()]
        leases += await self._runs.abandon_all()
        try:
            async with asyncio.timeout(self._left_s()):
                return await self._source.give_back(leases)
        except Exception as error:  # noqa: BLE001 - the leases end by themselves in time
            self._reports.failed(error)
            return 0

    def _left_s(self) -> float:
        left_s = self._end_at - CLOSING_S - asyncio.get_running_loop().time()
        return max(left_s, _LEAST_S)
