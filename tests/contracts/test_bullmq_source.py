"""A BullMQ queue keeps the contract of every source."""

from collections.abc import AsyncIterator

import pytest
import redis.asyncio
from tests.contracts.harness import Harness
from tests.contracts.source import SourceContract
from tests.support.keyspace import check
from tests.support.virtual_time import pass_time

from toril import AsyncQueue
from toril.bullmq.naming import QueueName
from toril.bullmq.wire.keys import QueueKeys
from toril.bullmq.worker.options import new_worker_id
from toril.bullmq.worker.source import BullSource, SourceOptions
from toril.connection import AsyncRunner, Target
from toril.runtime.source import Source
from toril.telemetry.emitter import Emitter

KEYS = QueueKeys("bull", "{contract}")
STATES = {
    "wait": "waiting",
    "prioritized": "waiting",
    "delayed": "delayed",
    "active": "active",
    "completed": "completed",
    "failed": "failed",
}


class BullHarness:
    lease_ms = 1_000
    max_losses = 2

    def __init__(self, url: str) -> None:
        self._url = url
        self._queue = AsyncQueue("contract", url, emitter=Emitter())
        self._redis = redis.asyncio.Redis.from_url(url)
        self._open: list[tuple[BullSource, AsyncRunner]] = []

    async def source(self) -> Source[object]:
        target = Target.of(self._url)
        runner = AsyncRunner(target)
        worker = new_worker_id()
        options = SourceOptions(
            worker=worker,
            worker_name=worker,
            lock_ms=self.lease_ms,
            max_stalled=self.max_losses,
        )
        name = QueueName.of("contract", cluster=False)
        source = BullSource(name, target, runner, options, Emitter())
        self._open.append((source, runner))
        await source.open()
        return source  # type: ignore[return-value]

    async def add(
        self,
        job_id: str,
        *,
        delay_ms: int = 0,
        priority: int = 0,
        attempts: int = 1,
        backoff_ms: int = 0,
    ) -> None:
        await self._queue.add(
            "contract",
            job_id=job_id,
            delay=delay_ms / 1_000,
            priority=priority,
            attempts=attempts,
            backoff=backoff_ms / 1_000 if backoff_ms else None,
        )

    async def state_of(self, job_id: str) -> str:
        for part in ("prioritized", "delayed", "completed", "failed"):
            if await self._redis.zscore(KEYS.base + part, job_id) is not None:
                return STATES[part]
        for part in ("wait", "active"):
            if await self._redis.lpos(KEYS.base + part, job_id) is not None:
                return STATES[part]
        return "gone"

    async def cancel(self, job_id: str) -> None:
        await self._queue.jobs.cancel(job_id)

    async def break_lease(self, job_id: str) -> None:
        await self._redis.delete(f"{KEYS.job(job_id)}:lock")

    async def pass_time(self, ms: int) -> None:
        """Time passes by itself; this waits until it has, by the server's clock."""
        end_ms = await self._now_ms() + ms
        while (now_ms := await self._now_ms()) < end_ms:
            await pass_time((end_ms - now_ms) / 1_000)

    async def reap_again(self) -> None:
        await self._redis.delete(KEYS.stalled_check)

    async def close(self) -> None:
        for source, runner in self._open:
            await source.close()
            await runner.close()
        await self._queue.close()
        await self._redis.aclose()

    async def _now_ms(self) -> int:
        seconds, microseconds = await self._redis.time()
        return int(seconds) * 1_000 + int(microseconds) // 1_000


class TestBullSource(SourceContract):
    @pytest.fixture
    async def harness(self, redis_url: str) -> AsyncIterator[Harness]:
        harness = BullHarness(redis_url)
        yield harness
        await harness.close()
        with redis.Redis.from_url(redis_url) as client:
            assert check(client, KEYS.prefix, KEYS.name, at_rest=False) == []
