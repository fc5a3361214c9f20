"""A worker as anybody would run it, whose handler writes down what it does."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from tests.chaos.programs.clock_skew import skew_clock
from tests.chaos.programs.deeds import do, do_blocking
from tests.support.journal import Journal

from toril import AsyncWorker, Worker
from toril.bullmq import AsyncJob, Job
from toril.bullmq.job_view import JobView
from toril.telemetry import events
from toril.telemetry.emitter import Emitter

TOLD: Final = (
    events.JobAbandoned,
    events.JobGivenBack,
    events.JobSuperseded,
    events.LeaseLost,
)
"""Events about a job that the judge wants to hear of."""


class Witness:
    """Writes into the journal what a worker lives through."""

    def __init__(self, journal: Journal) -> None:
        self.journal: Final = journal

    @contextmanager
    def run_of(self, job: JobView) -> Iterator[None]:
        """The beginning and the end of a run; the end is missing when the process was killed."""
        number = job.record.attempts_started
        self.journal.write("began", job.id, number=number)
        how = "done"
        try:
            yield
        except BaseException as error:
            how = type(error).__name__
            raise
        finally:
            self.journal.write("ended", job.id, number=number, note=how)

    def hear(self, event: events.Event) -> None:
        match event:
            case events.WorkerStarted():
                self.journal.write("ready", event.worker)
            case events.JobEvent() if isinstance(event, TOLD):
                self.journal.write(type(event).__name__, event.job_id)
            case events.GhostDropped():
                self.journal.write("GhostDropped", event.job_id)
            case events.ExchangeFailed():
                self.journal.write("trouble", event.worker, note=event.problem)
            case events.ConnectionRestored():
                self.journal.write("restored", event.purpose, number=event.attempts)
            case _:
                pass

    def unhandled(self, _: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
        self.journal.write("unhandled", "loop", note=repr(context))


def main(options: Mapping[str, Any]) -> int:
    """Work until a signal says otherwise; complain of whatever is left behind."""
    skew_clock(options["skew_s"])
    with Journal(options["journal"]) as journal:
        witness = Witness(journal)
        before = descriptors()
        if options["threads"]:
            _work_in_threads(options, witness)
        else:
            asyncio.run(_work_on_loop(options, witness))
        if left := descriptors() - before:
            journal.write("unhandled", "descriptors", note=f"{sorted(left)}")
        journal.write("left", options["name"])
    return 0


async def _work_on_loop(options: Mapping[str, Any], witness: Witness) -> None:
    async def handle(job: AsyncJob) -> object:
        with witness.run_of(job):
            return await do(job.data)

    asyncio.get_running_loop().set_exception_handler(witness.unhandled)
    worker = AsyncWorker(options["queue"], handle, options["url"], **_settings(options, witness))
    await worker.run()
    if left := asyncio.all_tasks() - {asyncio.current_task()}:
        witness.journal.write("unhandled", "tasks", note=f"{left}")


def _work_in_threads(options: Mapping[str, Any], witness: Witness) -> None:
    def handle(job: Job) -> object:
        with witness.run_of(job):
            return do_blocking(job.data)

    Worker(options["queue"], handle, options["url"], **_settings(options, witness)).run()


def _settings(options: Mapping[str, Any], witness: Witness) -> dict[str, Any]:
    emitter = Emitter(witness.hear)
    return {**options["settings"], "name": options["name"], "emitter": emitter}


def descriptors() -> set[str]:
    """What this process has open, but for the listing itself."""
    found = set()
    for link in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found.add(f"{link.name} {link.readlink()}")
    return found
