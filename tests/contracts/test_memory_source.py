"""The in-memory source keeps the contract of every source."""

import pytest
from tests.contracts.harness import Harness
from tests.contracts.source import SourceContract

from toril.core.backoff import Backoff
from toril.runtime.source import Source
from toril.testing import FrozenClock, MemoryQueue, MemorySource


class MemoryHarness:
    lease_ms = 30_000
    max_losses = 2

    def __init__(self) -> None:
        self._clock = FrozenClock()
        self._queue = MemoryQueue(max_losses=self.max_losses, clock=self._clock)

    async def source(self) -> Source[object]:
        source: Source[object] = MemorySource(self._queue)  # type: ignore[assignment]
        await source.open()
        return source

    async def add(
        self,
        job_id: str,
        *,
        delay_ms: int = 0,
        priority: int = 0,
        attempts: int = 1,
        backoff_ms: int = 0,
    ) -> None:
        self._queue.add(
            job_id=job_id,
            delay=delay_ms / 1_000,
            priority=priority,
            attempts=attempts,
            backoff=Backoff.fixed(backoff_ms / 1_000),
        )

    async def state_of(self, job_id: str) -> str:
        return self._queue.job(job_id).state.value

    async def cancel(self, job_id: str) -> None:
        self._queue.cancel(job_id)

    async def break_lease(self, job_id: str) -> None:
        self._queue.break_lease(job_id)

    async def pass_time(self, ms: int) -> None:
        self._clock.advance(ms / 1_000)

    async def reap_again(self) -> None:
        """It always looks."""


class TestMemorySource(SourceContract):
    @pytest.fixture
    def harness(self) -> Harness:
        return MemoryHarness()
