"""toril's worker by hand: the source that the engine drives, one step at a time."""

import asyncio
import secrets
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Any

from tests.conformance.actor import StepError
from tests.conformance.toril_options import to_worker_options

from toril.bullmq.naming import QueueName
from toril.bullmq.wire.job import JobRecord
from toril.bullmq.worker.options import source_options
from toril.bullmq.worker.source import BullSource
from toril.connection import AsyncRunner, Target
from toril.core.errors import PermanentError
from toril.core.outcome import Say
from toril.runtime.source import Claimed, Ending, Exchange, Outcome, Raised, Returned, Said
from toril.telemetry.emitter import Emitter


class JobError(Exception):
    """What a scripted job fails with: nothing but its message."""


class Claims:
    """Sources by the worker they play, and the jobs that they have claimed."""

    def __init__(self, name: QueueName, target: Target) -> None:
        self._name = name
        self._target = target
        self._sources: dict[str, BullSource] = {}
        self._claimed: dict[str, tuple[BullSource, Claimed[JobRecord]]] = {}
        self._opened = AsyncExitStack()

    async def claim(self, worker: str, options: Mapping[str, object]) -> str | None:
        """Take one job, as a worker of this name."""
        source = await self._source(worker, options)
        return self._note(source, await source.exchange([], 1))

    async def complete(self, job_id: str, value: object, *, fetch: bool) -> str | None:
        """End a run well, and take the next job in the same round trip if asked to."""
        return await self._settle(job_id, Returned(value), fetch=fetch)

    async def fail(self, job_id: str, message: str, *, final: bool, fetch: bool) -> str | None:
        """End a run badly."""
        error = PermanentError(message) if final else JobError(message)
        return await self._settle(job_id, Raised(error), fetch=fetch)

    async def say(self, job_id: str, what: Say) -> str:
        """End a run as its handler said, and answer what became of it."""
        source, claimed = self._claim_of(job_id)
        [settled] = (await source.exchange([Outcome(claimed, Said(what))], 0)).settled
        return settled.effect.value

    async def renew(self, job_id: str) -> bool:
        """Prolong a lock by its worker's own length."""
        source, claimed = self._claim_of(job_id)
        return not await asyncio.to_thread(source.renew, [claimed.lease])

    async def check_stalled(self, worker: str, options: Mapping[str, object]) -> list[str]:
        """Look for lost jobs, and say which went back."""
        source = await self._source(worker, options)
        reaped = await source.reap()
        return list(dict.fromkeys([*reaped.recovered, *reaped.exhausted]))

    async def close(self) -> None:
        """Let go of every connection."""
        await self._opened.aclose()

    async def _settle(self, job_id: str, ending: Ending, *, fetch: bool) -> str | None:
        source, claimed = self._claim_of(job_id)
        return self._note(source, await source.exchange([Outcome(claimed, ending)], int(fetch)))

    def _note(self, source: BullSource, exchange: Exchange[JobRecord]) -> str | None:
        for claimed in exchange.claimed:
            self._claimed[claimed.lease.job_id] = (source, claimed)
        return next((claimed.lease.job_id for claimed in exchange.claimed), None)

    def _claim_of(self, job_id: str) -> tuple[BullSource, Claimed[JobRecord]]:
        if job_id not in self._claimed:
            raise StepError(f"job {job_id} was not claimed here")
        return self._claimed[job_id]

    async def _source(self, worker: str, options: Mapping[str, object]) -> BullSource:
        if worker not in self._sources:
            self._sources[worker] = await self._open(worker, options)
        return self._sources[worker]

    async def _open(self, worker: str, options: Mapping[str, object]) -> BullSource:
        emitter = Emitter()
        runner = await self._opened.enter_async_context(AsyncRunner(self._target, emitter=emitter))
        in_toril: Any = {"max_stalled": 1, "name": worker, **to_worker_options(options)}
        chosen = source_options(in_toril, f"{worker}-{secrets.token_hex(3)}")
        source = BullSource(self._name, self._target, runner, chosen, emitter)
        self._opened.push_async_callback(source.close)
        await source.open()
        return source
