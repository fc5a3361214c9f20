"""Put the jobs of lost workers back, now and then, whichever worker lost them."""

import asyncio
from typing import Final, Generic, TypeVar

from toril.runtime.answers import Answers
from toril.runtime.pauses import after_errors
from toril.runtime.source import Source

J = TypeVar("J")

_LEAST_MS: Final = 10


class Reaper(Generic[J]):
    """Asks the store at the start, and then whenever the store says it is worth it."""

    def __init__(
        self,
        source: Source[J],
        answers: Answers[J],
    ) -> None:
        self._source = source
        self._answers = answers
        self._pauses = after_errors()

    async def run(self) -> None:
        """Reap and sleep, until cancelled."""
        while True:
            rest_s = await self.reap_once()
            await asyncio.sleep(rest_s)

    async def reap_once(self) -> float:
        """Ask the store, and return the seconds until it should be asked again."""
        try:
            reaped = await self._source.reap()
        except Exception as error:  # noqa: BLE001 - a worker outlives every error of its store
            self._answers.failed(error)
            return self._pauses.next_s()
        self._pauses.reset()
        self._answers.reaped(reaped)
        return max(reaped.again_in_ms, _LEAST_MS) / 1_000
