"""The worker for programs without an event loop: the same engine on a loop thread of its own."""

from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import Final, Unpack

from toril.bullmq.worker.async_worker import AsyncWorker, Handler
from toril.bullmq.worker.options import WorkerOptions
from toril.core.durations import Duration
from toril.runtime.health import Health
from toril.runtime.loop_thread import LoopThread
from toril.runtime.signals import stop_signals
from toril.telemetry.emitter import Subscriber


class Worker:
    """Takes jobs from a queue and runs a handler on each; `run` blocks until it is told to stop.

    >>> def handle(job: Job) -> str:
    ...     return f"sent to {job.data['to']}"
    >>> Worker("mail", handle, "redis://localhost:6379", concurrency=10).run()
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
        self._worker: Final = AsyncWorker(
            queue,
            handler,
            target,
            prefix=prefix,
            hash_tag=hash_tag,
            **options,
        )
        # Set by the thread in `run`, read by any.
        self._loop: LoopThread | None = None
        self.id: Final = self._worker.id
        self.queue: Final = queue

    def run(self, *, handle_signals: bool = True) -> None:
        """Work until `close`, or a signal, and until what runs is finished or given back.

        Raises:
            QueueNameAmbiguousError: only a queue of another spelling exists.
            DeniedError: the server refuses these credentials.
        """
        with LoopThread(f"worker {self.id}") as loop:
            self._loop = self._loop or loop
            try:
                self._run_in(loop, handle_signals=handle_signals)
            finally:
                if self._loop is loop:
                    self._loop = None

    def close(self) -> None:
        """Take no more jobs, let the running ones finish, and end; from any thread."""
        self._worker.close()

    def stop_now(self) -> None:
        """Cancel what runs, give it back, and end; from any thread."""
        self._worker.stop_now()

    def pause(self) -> None:
        """Take no more jobs until `resume`; other workers are not concerned."""
        self._worker.pause()

    def resume(self) -> None:
        """Take jobs again."""
        self._worker.resume()

    def until_idle(self, timeout: Duration | None = None) -> bool:
        """Wait until nothing runs and the queue knows of all that ran; False if it takes longer.

        After `pause` this is the moment from which on the worker does nothing at all. For other
        threads than those of handlers, which would wait for themselves.
        """
        if (loop := self._loop) is None:
            return True
        try:
            return loop.run(self._worker.until_idle(timeout))
        except CancelledError:  # the worker has ended meanwhile
            return True

    def health(self) -> Health:
        """What it is doing, and when the server last answered."""
        return self._worker.health()

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call this for every event of the worker; the returned function ends that."""
        return self._worker.subscribe(subscriber)

    def _run_in(self, loop: LoopThread, *, handle_signals: bool) -> None:
        if not handle_signals:
            loop.run(self._worker.run(handle_signals=False))
            return
        with stop_signals(first=self._worker.close, second=self._worker.stop_now):
            loop.run(self._worker.run(handle_signals=False))
