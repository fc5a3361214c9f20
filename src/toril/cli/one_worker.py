"""One worker in this process, from the first look at the server to the exit code."""

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from toril.cli.health_socket import HealthReport, answering
from toril.cli.stop_signals import stop_signals

if TYPE_CHECKING:
    from toril import AsyncWorker
    from toril.bullmq import Handler


RetryPolicyName: TypeAlias = Literal["default", "categorized"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerPlan:
    """What the command line asked for."""

    queue: str
    url: str | None
    concurrency: int
    prefix: str | None
    hash_tag: bool | None
    timeout: float | None
    drain_timeout: float
    retry_policy: RetryPolicyName
    name: str | None
    health_socket: Path | None = None

    def worker(self, handler: "Handler") -> "AsyncWorker":
        """The worker it describes, not running yet."""
        from toril import AsyncWorker, WorkerOptions

        options = WorkerOptions(
            concurrency=self.concurrency,
            drain_timeout=self.drain_timeout,
            retry_policy=self.retry_policy,
        )
        if self.timeout is not None:
            options["timeout"] = self.timeout
        if self.name is not None:
            options["name"] = self.name
        return AsyncWorker(
            self.queue, handler, self.url, prefix=self.prefix, hash_tag=self.hash_tag, **options
        )

    async def try_server(self) -> None:
        """See that the server answers and that the queue is the one that is meant.

        A running worker waits for a lost server for ever, but one that never answered is more
        often a wrong URL.
        """
        from toril import AsyncQueue

        async with AsyncQueue(
            self.queue, self.url, prefix=self.prefix, hash_tag=self.hash_tag
        ) as queue:
            await queue.counts()


def run_worker(plan: WorkerPlan, handler: "Handler", *, has_lifeline: bool) -> int:
    """Work until told to stop; with a lifeline to a parent, also until standard input ends."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(_work(plan, handler, has_lifeline=has_lifeline))


async def _work(plan: WorkerPlan, handler: "Handler", *, has_lifeline: bool) -> int:
    worker = plan.worker(handler)
    with stop_signals(worker.close, worker.stop_now) as received:
        if has_lifeline:
            _call_at_end_of_input(worker.close)
        else:
            await plan.try_server()
        async with answering(plan.health_socket, lambda: _report_of(worker)):
            await worker.run(handle_signals=False)
    return received.exit_code


def _report_of(worker: "AsyncWorker") -> HealthReport:
    return HealthReport(worker=worker.id, queue=worker.queue, health=worker.health())


def _call_at_end_of_input(act: Callable[[], None]) -> None:
    def wait() -> None:
        while os.read(sys.stdin.fileno(), 1024):
            pass
        act()

    threading.Thread(target=wait, name="toril lifeline", daemon=True).start()


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop's, where the extra is installed."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
