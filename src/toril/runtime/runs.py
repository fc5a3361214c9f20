"""The handlers that run in this engine: start them, cancel them, judge how they ended."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import perf_counter
from typing import Final, Generic, TypeVar

from toril.core.errors import JobCancelledError, PermanentError
from toril.core.outcome import GiveBack
from toril.runtime.executors import Executor
from toril.runtime.ledger import Ledger
from toril.runtime.options import EngineOptions
from toril.runtime.reports import Reports
from toril.runtime.source import Claimed, Ending, Lease, Outcome, Raised, Said
from toril.runtime.stop import StopReason, error_of, outranks

J = TypeVar("J")

_LAST_MOMENT_S: Final = 0.1


@dataclass(slots=True, eq=False)
class Run(Generic[J]):
    """One handler on one job; to the handler, the signal to stop.

    `timer` is what happens to it next: it is told that its time is over, or it is given up.
    `successor` is the same job, claimed anew while this still runs.
    """

    claimed: Claimed[J]
    task: asyncio.Task[None] | None = None
    has_started: bool = False
    stop: StopReason | None = None
    timer: asyncio.TimerHandle | None = None
    successor: Claimed[J] | None = None


class Runs(Generic[J]):
    """Every run of the engine, by job id: an id never runs twice at once in one process.

    All of it belongs to the engine's loop. A run leaves `_runs` when its handler has ended, or when
    it is abandoned; its lease lives on until the store has acknowledged what became of it. Runs in
    `_stuck` were given up, but their handlers go on and hold their slots.
    """

    def __init__(
        self,
        executor: Executor[J],
        ledger: Ledger[J],
        reports: Reports,
        options: EngineOptions,
        *,
        covers: Callable[[Lease], bool],
        crashed: Callable[[BaseException], None],
    ) -> None:
        self._executor = executor
        self._ledger = ledger
        self._reports = reports
        self._covers = covers
        self._crashed = crashed
        self._grace_s = options.grace_ms / 1_000
        self._runs: dict[str, Run[J]] = {}
        self._stuck: set[Run[J]] = set()

    @property
    def oldest(self) -> Run[J] | None:
        """The run that began before all others."""
        return next(iter(self._runs.values()), None)

    def start(self, claimed: Claimed[J]) -> None:
        """Run the handler on a job that was just claimed.

        A job that runs here already can be claimed only because its lease was lost: the old run
        is cancelled, and the new one starts when the old one has really ended.
        """
        self._ledger.start()
        job_id = claimed.lease.job_id
        if (old := self._runs.get(job_id)) is None:
            self._begin(job_id, claimed)
            return
        self._lose(old)
        if old.successor is not None:
            self._forget(old.successor)
        old.successor = claimed

    def lose(self, leases: list[Lease]) -> None:
        """These leases are gone: cancel what runs on them. Others are being settled already."""
        for lease in leases:
            run = self._runs.get(lease.job_id)
            if run is None:
                continue
            if run.claimed.lease == lease:
                self._lose(run)
            elif run.successor is not None and run.successor.lease == lease:
                self._forget(run.successor)
                run.successor = None

    def cancel(self, leases: Iterable[Lease]) -> None:
        """The jobs of these leases are cancelled: stop what runs on them, which then fails.

        Others are being settled already: they have ended first.
        """
        for lease in leases:
            run = self._runs.get(lease.job_id)
            if run is None:
                continue
            if run.claimed.lease == lease:
                self._tell(run, StopReason.CANCELLED)
            elif run.successor is not None and run.successor.lease == lease:
                cancelled = Raised(JobCancelledError(), final=True)
                self._ledger.finish(Outcome(run.successor, cancelled), 0.0)
                run.successor = None

    def cancel_all(self) -> None:
        """Tell every handler to stop, and give their jobs back unless they end well even so."""
        for run in list(self._runs.values()):
            if run.successor is not None:
                self._give_back(run.successor)
                run.successor = None
            self._stop(run, StopReason.SHUTDOWN)

    async def abandon_all(self) -> list[Lease]:
        """Give up the handlers that did not stop, and return the leases they still hold."""
        runs = list(self._runs.values())
        self._runs.clear()
        for run in runs:
            self._reports.abandoned(run.claimed.lease.job_id)
            self._ledger.forget()
        tasks = [run.task for run in (*runs, *self._stuck) if run.task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_LAST_MOMENT_S)
        return [run.claimed.lease for run in runs if run.stop is not StopReason.LEASE_LOST]

    def _begin(self, job_id: str, claimed: Claimed[J]) -> None:
        run = self._runs[job_id] = Run(claimed)
        self._reports.claimed(job_id)
        run.task = asyncio.get_running_loop().create_task(self._work(job_id, run))

    async def _work(self, job_id: str, run: Run[J]) -> None:
        began = perf_counter()
        try:
            ending = await self._ending_of(run)
            if run.timer is not None:
                run.timer.cancel()
            if self._runs.get(job_id) is run:
                self._ended(job_id, run, ending, (perf_counter() - began) * 1_000)
            elif run in self._stuck:
                self._stuck.remove(run)
                self._ledger.recover()
        except BaseException as error:  # noqa: BLE001 - no error of a handler gets here
            self._crashed(error)

    async def _ending_of(self, run: Run[J]) -> Ending:
        if run.stop is not None or not self._covers(run.claimed.lease):
            return Said(GiveBack())
        run.has_started = True
        if (timeout_ms := run.claimed.timeout_ms) is not None:
            self._in(timeout_ms / 1_000, run, self._time_out)
        try:
            return await self._executor.execute(run.claimed.job, run)
        except asyncio.CancelledError as error:  # the wait for a thread, which itself goes on
            return Raised(error)

    def _ended(self, job_id: str, run: Run[J], ending: Ending, took_ms: float) -> None:
        del self._runs[job_id]
        if run.stop is StopReason.LEASE_LOST:
            self._reports.superseded(job_id)
            self._ledger.forget()
        else:
            self._ledger.finish(Outcome(run.claimed, _as_it_counts(run, ending)), took_ms)
        if run.successor is not None:
            self._begin(job_id, run.successor)

    def _lose(self, run: Run[J]) -> None:
        if run.stop is not StopReason.LEASE_LOST:
            self._reports.lost(run.claimed.lease)
            self._stop(run, StopReason.LEASE_LOST)

    def _time_out(self, run: Run[J]) -> None:
        self._tell(run, StopReason.TIMEOUT)

    def _tell(self, run: Run[J], why: StopReason) -> None:
        """Tell the handler to stop, and give it up if it does not."""
        if outranks(why, run.stop):
            self._reports.stopping(run.claimed.lease.job_id, why)
            self._stop(run, why)
            self._in(self._grace_s, run, self._give_up)

    def _give_up(self, run: Run[J]) -> None:
        """Settle the job without its handler, which goes on and keeps its slot until it ends."""
        job_id = run.claimed.lease.job_id
        if self._runs.get(job_id) is not run or run.stop is StopReason.LEASE_LOST:
            return
        del self._runs[job_id]
        self._stuck.add(run)
        self._reports.abandoned(job_id)
        self._ledger.give_up(Outcome(run.claimed, _as_it_counts(run, Said(GiveBack()))), 0.0)

    def _in(self, delay_s: float, run: Run[J], what: Callable[[Run[J]], None]) -> None:
        if run.timer is not None:
            run.timer.cancel()
        run.timer = asyncio.get_running_loop().call_later(delay_s, what, run)

    def _stop(self, run: Run[J], why: StopReason) -> None:
        if outranks(why, run.stop):
            run.stop = why
        if run.has_started and self._executor.can_interrupt and run.task is not None:
            run.task.cancel()

    def _forget(self, claimed: Claimed[J]) -> None:
        self._reports.lost(claimed.lease)
        self._ledger.forget()

    def _give_back(self, claimed: Claimed[J]) -> None:
        self._ledger.finish(Outcome(claimed, Said(GiveBack())), 0.0)


def _as_it_counts(run: Run[J], ending: Ending) -> Ending:
    """What is stored of a run: why it was told to stop counts, not what it did then."""
    if run.stop is StopReason.SHUTDOWN and isinstance(ending, Raised):
        return Said(GiveBack())
    error = error_of(run.stop, run.claimed.timeout_ms)
    if error is None:
        return ending
    if isinstance(ending, Raised):
        error.__cause__ = ending.error
    return Raised(error, final=isinstance(error, PermanentError))
