"""The worker for asyncio: connects a handler, an engine and a queue."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, Self, TypeAlias, Unpack, cast

from toril.bullmq._async.job import AsyncJob
from toril.bullmq._async.store import AsyncStore
from toril.bullmq._sync.job import Job
from toril.bullmq._sync.store import Store
from toril.bullmq.naming import QueueName
from toril.bullmq.wire.job import JobRecord
from toril.bullmq.worker.options import (
    WorkerOptions,
    engine_options,
    new_worker_id,
    source_options,
)
from toril.bullmq.worker.source import BullSource
from toril.connection import Target
from toril.core.durations import Duration, to_ms
from toril.core.errors import AlreadyStartedError, BadInputError
from toril.core.option_names import check_names
from toril.runtime.engine import Engine
from toril.runtime.executors import Executor, LoopExecutor, ThreadExecutor, is_async_handler
from toril.runtime.health import Health
from toril.runtime.signals import stop_signals
from toril.telemetry.emitter import Emitter, Subscriber
from toril.telemetry.logging import log_events

_LEAST_PATIENCE_MS: Final = 1_000

Handler: TypeAlias = Callable[[AsyncJob], Awaitable[object]] | Callable[[Job], object]
"""`async def` runs on the loop and gets an `AsyncJob`; `def` runs in a thread and gets a `Job`."""


class AsyncWorker:
    """Takes jobs from a queue and runs a handler on each, until it is told to stop.

    Duties: it makes the connections, the source and the engine, and ends them in that order
    backwards. The first SIGTERM or SIGINT drains, the second gives the jobs back at once.

    >>> async def handle(job: AsyncJob) -> str:
    ...     return f"sent to {job.data['to']}"
    >>> await AsyncWorker("mail", handle, "redis://localhost:6379", concurrency=10).run()
    """

    def __init__(
        self,
        queue: str,
        handler: Handler,
        target: object = None,
        *,
        prefix: str | None = None,
        hash_tag: bool | None = None,
        **options: Unpack[WorkerOptions],
    ) -> None:
        check_names(options, WorkerOptions, "worker")
        if not callable(handler):
            raise BadInputError("handler", f"{handler!r} cannot be called")
        limits = engine_options(options)
        # To learn that the server is silent only when the leases are gone would be too late.
        where = Target.of(target).with_patience(max(limits.lease_ms // 2, _LEAST_PATIENCE_MS))
        name = QueueName.of(queue, prefix=prefix, hash_tag=hash_tag, cluster=where.is_cluster)
        self.id: Final = new_worker_id()
        self.queue: Final = queue
        self._was_started = False
        self._background: asyncio.Task[None] | None = None
        self._emitter: Final = options.get("emitter") or Emitter(log_events)
        self._store: Final = AsyncStore(name, where, self._emitter)
        self._blocking_store: Final = Store(name, where, self._emitter)
        source = BullSource(
            name, where, self._store.runner, source_options(options, self.id), self._emitter
        )
        self._engine: Final = Engine(
            source,
            self._executor(handler, limits.concurrency),
            queue=name.keys.name,
            worker=self.id,
            options=limits,
            emitter=self._emitter,
        )

    async def run(self, *, handle_signals: bool = True) -> None:
        """Work until `close`, or a signal, and until what runs is finished or given back.

        Raises:
            AlreadyStartedError: it was run before.
            QueueNameAmbiguousError: only a queue of another spelling exists.
            DeniedError: the server refuses these credentials.
        """
        if self._was_started:
            raise AlreadyStartedError(self.id)
        self._was_started = True
        try:
            if not handle_signals:
                await self._engine.run()
                return
            with stop_signals(first=self._engine.drain, second=self._engine.stop_now):
                await self._engine.run()
        finally:
            await self._store.close()
            self._blocking_store.close()

    async def __aenter__(self) -> Self:
        """Work beside what the block does; at its end, close and wait until all is done."""
        self._background = asyncio.create_task(self.run(handle_signals=False))
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()
        if self._background is not None:
            await self._background

    def close(self) -> None:
        """Take no more jobs, let the running ones finish, and end; from any thread."""
        self._engine.drain()

    def stop_now(self) -> None:
        """Cancel what runs, give it back, and end; from any thread."""
        self._engine.stop_now()

    def pause(self) -> None:
        """Take no more jobs until `resume`; other workers are not concerned."""
        self._engine.pause()

    def resume(self) -> None:
        """Take jobs again."""
        self._engine.resume()

    async def until_idle(self, timeout: Duration | None = None) -> bool:  # noqa: ASYNC109
        """Wait until nothing runs and the queue knows of all that ran; False if it takes longer.

        After `pause` this is the moment from which on the worker does nothing at all.
        """
        timeout_ms = None if timeout is None else to_ms(timeout, "timeout")
        with suppress(TimeoutError):
            async with asyncio.timeout(None if timeout_ms is None else timeout_ms / 1_000):
                await self._engine.until_idle()
                return True
        return False

    def health(self) -> Health:
        """What it is doing, and when the server last answered."""
        return self._engine.health()

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call this for every event of the worker; the returned function ends that."""
        return self._emitter.subscribe(subscriber)

    def _executor(self, handler: Handler, threads: int) -> Executor[JobRecord]:
        if is_async_handler(handler):
            on_loop = cast("Callable[[AsyncJob], Awaitable[object]]", handler)
            return LoopExecutor(
                on_loop, bind=lambda record, stop: AsyncJob(record, self._store, signal=stop)
            )
        in_thread = cast("Callable[[Job], object]", handler)
        return ThreadExecutor(
            in_thread,
            bind=lambda record, stop: Job(record, self._blocking_store, signal=stop),
            threads=threads,
        )
