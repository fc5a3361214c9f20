"""Everything of toril that one scenario opens on one server and queue, closed together."""

import asyncio
from collections.abc import Mapping
from functools import cached_property
from typing import cast

from tests.conformance.actor import Place, StepError
from tests.conformance.toril_claims import Claims, JobError
from tests.conformance.toril_options import to_worker_options

from toril import AsyncJob, AsyncQueue, AsyncQueueEvents, AsyncWorker
from toril.bullmq import AsyncClaimedJob, AsyncClaims
from toril.bullmq.naming import QueueName
from toril.bullmq.queue_events import BEGINNING
from toril.connection import Target
from toril.telemetry.emitter import Emitter

_SHORTEST_RUN_MS = 3
"""Jobs that run one after the other end in different milliseconds: what follows may show it."""


class TorilStage:
    """Made when first needed. Names are used as they are: a scenario spells out its braces."""

    def __init__(self, place: Place) -> None:
        self._name = place.queue
        self._url = f"redis://127.0.0.1:{place.port}"
        self._running: dict[str, RunningWorker] = {}
        self._by_hand: dict[str, AsyncClaims] = {}
        self.in_hand: dict[str, AsyncClaimedJob] = {}

    @cached_property
    def queue(self) -> AsyncQueue:
        """For everything a producer does."""
        return AsyncQueue(self._name, self._url, hash_tag=False)

    def followed(self) -> AsyncQueueEvents:
        """From the first event that the queue keeps; whoever asked closes it."""
        return AsyncQueueEvents(self._name, self._url, hash_tag=False, after=BEGINNING)

    @cached_property
    def claims(self) -> Claims:
        """For a worker's steps, one at a time."""
        name = QueueName.of(self._name, hash_tag=False, cluster=False)
        return Claims(name, Target.of(self._url))

    def by_hand(self, worker: str, options: Mapping[str, object]) -> AsyncClaims:
        """For a worker that takes jobs by hand; what it holds is in `in_hand`."""
        if worker not in self._by_hand:
            claims = AsyncClaims(
                self._name,
                self._url,
                hash_tag=False,
                name=worker,
                emitter=Emitter(),
                **to_worker_options(options),
            )
            self._by_hand[worker] = claims
        return self._by_hand[worker]

    async def job(self, job_id: str) -> AsyncJob:
        """The job as it is now."""
        job = await self.queue.get_job(job_id)
        if job is None:
            raise StepError(f"there is no job {job_id}")
        return job

    async def start_worker(self, name: str, options: Mapping[str, object]) -> None:
        """Let a real worker loose."""
        self._running[name] = RunningWorker(self._name, self._url, name, options)

    async def stop_worker(self, name: str) -> list[str]:
        """End it, and say which jobs its handler got."""
        return await self._running.pop(name).stop()

    async def close(self) -> None:
        """Let go of every connection."""
        for name in list(self._running):
            await self.stop_worker(name)
        for claims in self._by_hand.values():
            await claims.close()
        if "claims" in self.__dict__:
            await self.claims.close()
        if "queue" in self.__dict__:
            await self.queue.close()


class RunningWorker:
    """A worker whose handler does what the job's data says, like `node/handler.mjs`."""

    def __init__(self, queue: str, url: str, name: str, options: Mapping[str, object]) -> None:
        self._handled: list[str] = []
        chosen = to_worker_options(options)
        self._worker = AsyncWorker(queue, self._handle, url, hash_tag=False, name=name, **chosen)
        self._task = asyncio.create_task(self._worker.run(handle_signals=False))

    async def stop(self) -> list[str]:
        """Let it finish what it has."""
        self._worker.close()
        await self._task
        return self._handled

    async def _handle(self, job: AsyncJob) -> object:
        self._handled.append(job.id)
        script = cast("Mapping[str, object]", job.data if isinstance(job.data, dict) else {})
        hold_ms = cast("float", script.get("hold_ms", 0))
        await asyncio.sleep(max(hold_ms, _SHORTEST_RUN_MS) / 1000)
        if job.attempts_made < cast("int", script.get("fail", 0)):
            raise JobError(str(script.get("error", "boom")))
        return script.get("return")
