"""Take jobs by hand in programs without an event loop: the same, on a loop thread of its own."""

import threading
from collections.abc import Coroutine
from datetime import datetime
from types import TracebackType
from typing import Any, Final, Self, TypeVar, Unpack

from toril.bullmq._sync.job import Job
from toril.bullmq._sync.store import Store
from toril.bullmq.naming import QueueName
from toril.bullmq.worker.async_claimed_job import AsyncClaimedJob
from toril.bullmq.worker.async_claims import AsyncClaims
from toril.bullmq.worker.claim_options import ClaimOptions
from toril.connection import Target
from toril.core.durations import Duration
from toril.core.errors import ClosedError
from toril.runtime.loop_thread import LoopThread
from toril.telemetry.emitter import Emitter
from toril.telemetry.logging import log_events

R = TypeVar("R")


class ClaimedJob:
    """A job that is yours until its lease ends, or until one of these verbs has settled it.

    Each of them raises `LockLostError` when the lease has ended before, and the job may be another
    worker's; then nothing was changed. After `UnavailableError` nothing was either: say it again.

    As a context manager it settles what the block has not: an error of the block fails the attempt,
    the end of the block gives the job back.
    """

    def __init__(self, claimed: AsyncClaimedJob, job: Job, loop: "_Loop") -> None:
        self._claimed: Final = claimed
        self._loop: Final = loop
        self.job: Final = job
        """Its data, its log, its progress."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.job.id} {self.job.name!r}>"

    @property
    def id(self) -> str:
        """The id of the job."""
        return self.job.id

    @property
    def is_settled(self) -> bool:
        """Whether it is not yours any more: it was settled, or the lease is lost."""
        return self._claimed.is_settled

    def renew(self) -> None:
        """Start the lease over: it lasts as long again from now."""
        self._loop.run(self._claimed.renew())

    def complete(self, value: object = None) -> None:
        """The work is done, and this is its result, any JSON.

        Raises:
            BadInputError: the result cannot be stored; nothing was sent.
            ChildrenPendingError: children of the job are pending; it is still yours.
            ChildFailedError: a child has failed it; it is still yours, and can only fail.
        """
        self._loop.run(self._claimed.complete(value))

    def fail(self, error: Exception | str) -> bool:
        """This attempt failed; whether the job runs again, as its attempts and the error allow.

        A `PermanentError` allows no further attempt.
        """
        return self._loop.run(self._claimed.fail(error))

    def retry(self, reason: str = "retry requested", *, delay: Duration | None = None) -> bool:
        """This attempt failed, run the job again after `delay`; False when it was the last one."""
        return self._loop.run(self._claimed.retry(reason, delay=delay))

    def delay(self, until: datetime | Duration) -> None:
        """Not now: run the job at this moment, or after this time; the attempt does not count."""
        self._loop.run(self._claimed.delay(until))

    def give_back(self) -> None:
        """Let somebody else have the job at once; the attempt does not count."""
        self._loop.run(self._claimed.give_back())

    def wait_for_children(self) -> bool:
        """Run the job again when its children have ended; the attempt does not count.

        False when none is pending: the job is still yours.

        Raises:
            ChildFailedError: a child has failed it; it is still yours, and can only fail.
        """
        return self._loop.run(self._claimed.wait_for_children())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.run(self._claimed.__aexit__(kind, error, trace))


class Claims:
    """Takes jobs from a queue one at a time, and leaves it to the caller to run and settle them.

    Nobody renews a lease but the caller. What is not settled at `close` is given back; what a
    program that dies has not settled, a worker of the queue finds, or `reap`. Threads may share it.

    >>> with Claims("mail", "redis://localhost:6379") as claims:
    ...     claimed = claims.take(timeout=5)
    ...     if claimed is not None:
    ...         claimed.complete(f"sent to {claimed.job.data['to']}")
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
        where = Target.of(target)
        self._claims: Final = AsyncClaims(queue, where, prefix=prefix, hash_tag=hash_tag, **options)
        name = QueueName.of(queue, prefix=prefix, hash_tag=hash_tag, cluster=where.is_cluster)
        self._store: Final = Store(name, where, options.get("emitter") or Emitter(log_events))
        self._loop: Final = _Loop(f"claims {self._claims.id}")
        self.id: Final = self._claims.id
        self.queue: Final = queue

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._store.keys.base}>"

    def take(self, timeout: Duration | None = None) -> ClaimedJob | None:
        """The next job, or None when there is none within `timeout`; without one, wait for it.

        A job that cannot be read is failed on the way, as a worker does it.

        Raises:
            UnavailableError: the server could not be reached; nothing was taken.
            QueueNameAmbiguousError: only a queue of another spelling exists.
            ClosedError: `close` was called.
        """
        claimed = self._loop.run(self._claims.take(timeout))
        if claimed is None:
            return None
        return ClaimedJob(claimed, Job(claimed.job.record, self._store), self._loop)

    def reap(self) -> list[str]:
        """Put the jobs of lost workers back, and say which; one of all workers does in an interval.

        Only needed where no worker runs beside.
        """
        return self._loop.run(self._claims.reap())

    def close(self) -> None:
        """Give back what is not settled, and let go of every connection."""
        self._loop.end(self._claims.close())
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Loop:
    """A loop thread that starts with its first call and ends with its last."""

    def __init__(self, name: str) -> None:
        self._thread: Final = LoopThread(name)
        self._lock: Final = threading.Lock()
        self._is_running = False
        self._is_over = False

    def run(self, coroutine: Coroutine[Any, Any, R]) -> R:
        with self._lock:
            if self._is_over:
                coroutine.close()
                raise ClosedError("the claims")
            if not self._is_running:
                self._thread.__enter__()
                self._is_running = True
        return self._thread.run(coroutine)

    def end(self, last: Coroutine[Any, Any, None]) -> None:
        with self._lock:
            was_over, self._is_over = self._is_over, True
        if was_over or not self._is_running:
            last.close()
            return
        try:
            self._thread.run(last)
        finally:
            self._thread.__exit__(None, None, None)
