"""The exchange loop: settle what finished, claim for what is free, one round trip at a time.

While an exchange is under way finished jobs gather, and the next one takes them all: idle, this
is a job per round trip; under load it is a batch, as databases commit.
"""

import asyncio
from typing import Generic, TypeVar

from toril.core.errors import UnavailableError
from toril.runtime.answers import Answers
from toril.runtime.ledger import Batch, Ledger
from toril.runtime.pauses import after_errors
from toril.runtime.source import Source

J = TypeVar("J")


class Lanes(Generic[J]):
    """One or two such loops over one ledger.

    With two, the store works on one exchange while Python works on the other. The turn keeps them
    out of step: it passes on one tick after a batch was taken, so that two are never written
    in the same tick.
    """

    def __init__(
        self,
        source: Source[J],
        ledger: Ledger[J],
        answers: Answers[J],
        *,
        count: int,
    ) -> None:
        self._count = count
        self._source = source
        self._ledger = ledger
        self._answers = answers
        self._turn = asyncio.Lock()
        self._pauses = after_errors()

    async def run(self) -> None:
        """Be one lane, until cancelled."""
        while True:
            batch = await (self._ledger.next_batch() if self._count == 1 else self._in_turn())
            try:
                exchange = await self._source.exchange(
                    [finished.outcome for finished in batch.finished], batch.want
                )
            except asyncio.CancelledError:
                self._ledger.bounced(batch, nothing_done=True)
                raise
            except Exception as error:  # noqa: BLE001 - a worker outlives every error of its store
                self._bounce(batch, error)
            else:
                self._pauses.reset()
                self._answers.landed(batch, exchange)

    async def _in_turn(self) -> Batch[J]:
        await self._turn.acquire()
        try:
            return await self._ledger.next_batch()
        finally:
            asyncio.get_running_loop().call_soon(self._turn.release)

    def _bounce(self, batch: Batch[J], error: Exception) -> None:
        nothing_done = isinstance(error, UnavailableError)
        self._ledger.bounced(batch, nothing_done=nothing_done, rest_s=self._pauses.next_s())
        self._answers.exchange_failed(error)
