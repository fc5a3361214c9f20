"""Hear which of the running jobs were cancelled, wherever that was asked for."""

import asyncio
from typing import Final, Generic, TypeVar

from toril.runtime.answers import Answers
from toril.runtime.pauses import after_errors
from toril.runtime.runs import Runs
from toril.runtime.source import Source

J = TypeVar("J")

EVERY_S: Final = 0.4
"""Two of these, and a round trip, are the longest until a running job is stopped."""


class Listener(Generic[J]):
    """Asks the store now and then, while a handler runs for longer than a moment.

    A worker of short jobs never asks: they are over before anybody could cancel them.
    """

    def __init__(self, source: Source[J], runs: Runs[J], answers: Answers[J]) -> None:
        self._source = source
        self._runs = runs
        self._answers = answers
        self._pauses = after_errors()

    async def run(self) -> None:
        """Look and listen, until cancelled."""
        oldest = None
        while True:
            await asyncio.sleep(EVERY_S)
            known, oldest = oldest, self._runs.oldest
            if oldest is not None and oldest is known:
                await self._listen()

    async def _listen(self) -> None:
        try:
            cancelled = await self._source.cancelled()
        except Exception as error:  # noqa: BLE001 - a worker outlives every error of its store
            self._answers.failed(error)
            await asyncio.sleep(self._pauses.next_s())
            return
        self._pauses.reset()
        self._answers.heard(cancelled)
