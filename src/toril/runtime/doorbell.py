"""Wait for work when the store has none: the wake-up and the claim travel together."""

import asyncio
from typing import Final, Generic, TypeVar

from toril.runtime.answers import Answers
from toril.runtime.ledger import Ledger
from toril.runtime.pauses import Pauses, after_errors
from toril.runtime.source import Source

J = TypeVar("J")

_OVERDUE_S: Final = 5.0
"""A source ends its waits by itself; one that is this late never will."""

_REAL_WAIT_S: Final = 0.05
"""A wait that ends sooner than this, with nothing, was no wait."""


class Doorbell(Generic[J]):
    """Holds the free slots of an idle engine and waits for jobs to put into them.

    It runs beside the exchanges: those claim only for slots that it does not hold.
    """

    def __init__(
        self,
        source: Source[J],
        ledger: Ledger[J],
        answers: Answers[J],
        *,
        timeout_ms: int,
    ) -> None:
        self._source = source
        self._ledger = ledger
        self._timeout_ms = timeout_ms
        self._answers = answers
        self._errors = after_errors()
        self._hollow = Pauses(first_ms=1, most_ms=1_000)
        self._call: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Wait for work whenever there is none, until cancelled."""
        try:
            while True:
                call = self._call = asyncio.create_task(self._listen(), name="toril wait for work")
                await asyncio.wait([call])
                if not call.cancelled():
                    call.result()
        finally:
            self.hush()

    def hush(self) -> None:
        """Give up the wait in progress; the next exchange finds what it may have claimed."""
        if self._call is not None:
            self._call.cancel()

    async def _listen(self) -> None:
        want = await self._ledger.room()
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            async with asyncio.timeout(self._timeout_ms / 1_000 + _OVERDUE_S):
                exchange = await self._source.wait_for_work(want, self._timeout_ms)
        except asyncio.CancelledError:
            self._ledger.leave_room(want, 0)
            self._ledger.nudge()
            raise
        except Exception as error:  # noqa: BLE001 - a worker outlives every error of its store
            self._ledger.leave_room(want, 0)
            self._ledger.expect_work()
            self._answers.exchange_failed(error)
            await asyncio.sleep(self._errors.next_s())
            return
        self._errors.reset()
        self._answers.rang(want, exchange)
        if exchange.claimed or loop.time() - began >= _REAL_WAIT_S:
            self._hollow.reset()
        else:
            await asyncio.sleep(self._hollow.next_s())
