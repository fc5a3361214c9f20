"""Take jobs by hand, without a worker: for programs that have a loop of their own."""

import asyncio
from dataclasses import replace
from typing import Final, Self, Unpack, cast

from toril.bullmq._async.job import AsyncJob
from toril.bullmq._async.store import AsyncStore
from toril.bullmq.naming import QueueName
from toril.bullmq.worker.async_claimed_job import AsyncClaimedJob
from toril.bullmq.worker.claim_desk import ClaimDesk
from toril.bullmq.worker.claim_options import ClaimOptions
from toril.bullmq.worker.options import WorkerOptions, new_worker_id, source_options
from toril.bullmq.worker.source import BullSource
from toril.connection import Target
from toril.core.durations import Duration, to_ms
from toril.core.option_names import check_names
from toril.telemetry.emitter import Emitter
from toril.telemetry.logging import log_events

_LEAST_PATIENCE_MS: Final = 1_000


class AsyncClaims:
    """Takes jobs from a queue one at a time, and leaves it to the caller to run and settle them.

    Nobody renews a lease but the caller. What is not settled at `close` is given back; what a
    program that dies has not settled, a worker of the queue finds, or `reap`.

    >>> async with AsyncClaims("mail", "redis://localhost:6379") as claims:
    ...     claimed = await claims.take(timeout=5)
    ...     if claimed is not None:
    ...         await claimed.complete(f"sent to {claimed.job.data['to']}")
    """

    def __init__(
        self,
        queue: str,
        target: object = None,
        *,
        prefix: str | None = None,
        hash_tag: bool | None = None,
        **options: Unpack[ClaimOptions],
    ) -> None:
        check_names(options, ClaimOptions, "claim")
        self.id: Final = new_worker_id()
        self.queue: Final = queue
        terms = replace(source_options(cast("WorkerOptions", options), self.id), by_hand=True)
        # To learn that the server is silent only when the leases are gone would be too late.
        where = Target.of(target).with_patience(max(terms.lock_ms // 2, _LEAST_PATIENCE_MS))
        name = QueueName.of(queue, prefix=prefix, hash_tag=hash_tag, cluster=where.is_cluster)
        emitter = options.get("emitter") or Emitter(log_events)
        self._store: Final = AsyncStore(name, where, emitter)
        self._source: Final = BullSource(name, where, self._store.runner, terms, emitter)
        self._desk: Final = ClaimDesk(self._source, self._store, terms.lock_ms)
        # The doorbell has one connection: who comes first opens, who comes meanwhile waits.
        self._opening: Final = asyncio.Lock()
        self._is_open = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._store.keys.base}>"

    async def take(self, timeout: Duration | None = None) -> AsyncClaimedJob | None:  # noqa: ASYNC109
        """The next job, or None when there is none within `timeout`; without one, wait for it.

        A job that cannot be read is failed on the way, as a worker does it.

        Raises:
            UnavailableError: the server could not be reached; nothing was taken.
            QueueNameAmbiguousError: only a queue of another spelling exists.
            ClosedError: `close` was called.
        """
        ends_at = None
        if timeout is not None:
            ends_at = asyncio.get_running_loop().time() + to_ms(timeout, "timeout") / 1_000
        await self._open()
        claimed = await self._desk.take(ends_at)
        if claimed is None:
            return None
        return AsyncClaimedJob(claimed, AsyncJob(claimed.job, self._store), self._desk)

    async def reap(self) -> list[str]:
        """Put the jobs of lost workers back, and say which; one of all workers does in an interval.

        Only needed where no worker runs beside.
        """
        await self._open()
        reaped = await self._source.reap()
        return [*reaped.recovered, *reaped.exhausted]

    async def close(self) -> None:
        """Give back what is not settled, and let go of every connection."""
        await self._desk.close()
        await self._store.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _open(self) -> None:
        async with self._opening:
            if not self._is_open:
                await self._source.open()
                self._is_open = True
