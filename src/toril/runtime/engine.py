"""The worker engine: one per worker and queue, all of it on one event loop.

**States.** Each is entered once::

    NEW -> STARTING -> RUNNING -> DRAINING -> STOPPING -> STOPPED
              |           |___________________^
              |_______________________________^   stop_now(), a crash, a cancelled run()

Pausing is a flag beside them: a paused engine goes on with what it has and claims nothing.

**Duties.** `Lanes` settle and claim. `Doorbell` waits for work when the store has none. `Alarm`
rings when the store said it would have some. `Runs` runs handlers through the `Executor`.
`LeaseKeeper` renews leases from its own thread. `Reaper` puts the jobs of lost workers back.
`Listener` hears which of the running jobs were cancelled.
`Answers` takes in what the store says to all of them. `Ledger` keeps the books: slots, and
outcomes on their way to the store.

**Who owns what.** The loop owns everything, except

* `Ledger.is_paused` and `Ledger.is_closing`: set by any thread, read when an exchange is made up;
* `StopRequest`: asked by any thread, only ever more urgent;
* `LeaseKeeper._held`: the loop adds and drops, the keeper's thread renews and loses, under a lock;
* `Engine._state`, `Answers.answered_at` and `problem`, the counts of `Ledger`: written by the loop,
  read by `health()` anywhere.

The keeper's thread and the threads of handlers tell the loop what they have to tell through
`call_in`; nothing else crosses.

**A lease** is held from the claim until the store acknowledged what became of the job. Whoever
finds it lost (the keeper, a second claim of the same job, a settlement) says so in an event, and
nothing is done for the job any more.

**Shutdown.** In this order, within `shutdown_ms` even when the store is down:

1. Claim no more; whatever a call under way still claims is given back without being counted.
   Give up the wait at the doorbell, the alarm and the reaper.
2. Up to `drain_ms`: handlers finish and are settled. Skipped, or cut short, by `stop_now()`.
3. Up to `grace_ms`: handlers are cancelled and clean up; one that ends well is settled even so,
   the jobs of the others are given back.
4. The exchanges and the listener are cancelled. What could not be settled or did not stop is given
   back, and so is what a broken call may have claimed.
5. The lease keeper ends (until here leases are renewed), then the connections, then the threads.
"""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from time import monotonic
from typing import Final, Generic, TypeVar

from toril.core.errors import AlreadyStartedError, UnavailableError, WorkerBrokenError
from toril.runtime.alarm import Alarm
from toril.runtime.answers import Answers
from toril.runtime.doorbell import Doorbell
from toril.runtime.executors import Executor
from toril.runtime.health import Health, State
from toril.runtime.lanes import Lanes
from toril.runtime.lease_keeper import LeaseKeeper
from toril.runtime.ledger import Ledger
from toril.runtime.listener import Listener
from toril.runtime.options import EngineOptions
from toril.runtime.pauses import after_errors
from toril.runtime.race import cancel, race
from toril.runtime.reaper import Reaper
from toril.runtime.reports import Reports
from toril.runtime.runs import Runs
from toril.runtime.shutdown import CLOSING_S, Shutdown
from toril.runtime.source import Lease, Source
from toril.runtime.stop_request import StopRequest, Urgency
from toril.runtime.thread_calls import call_in
from toril.telemetry.emitter import Emitter

J = TypeVar("J")

_KEEPER_S: Final = 0.2
_CLOSE_S: Final = CLOSING_S / 3


class Engine(Generic[J]):
    """Claims jobs from a source, runs a handler on each, and tells the source how it went.

    `run()` may be called once. `drain()`, `stop_now()`, `pause()`, `resume()` and `health()` may be
    called from any thread, in any state, any number of times.
    """

    def __init__(
        self,
        source: Source[J],
        executor: Executor[J],
        *,
        queue: str,
        worker: str,
        options: EngineOptions,
        emitter: Emitter,
    ) -> None:
        reports = Reports(emitter, queue=queue, worker=worker)
        ledger: Ledger[J] = Ledger(options)
        self._source = source
        self._executor = executor
        self._worker = worker
        self._options = options
        self._reports = reports
        self._ledger = ledger
        self._request = StopRequest()
        self._state = State.NEW
        self._crash: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._last_tasks: set[asyncio.Task[None]] = set()
        self._other_tasks: set[asyncio.Task[None]] = set()
        self._keeper_ended = asyncio.Event()
        self._keeper = keeper = LeaseKeeper(
            source,
            options,
            lost=self._leases_lost,
            failed=reports.failed,
            ended=self._keeper_ends,
        )
        self._alarm = alarm = Alarm(ledger.nudge)
        self._runs = runs = Runs(
            executor, ledger, reports, options, covers=keeper.covers, crashed=self._crashed
        )
        self._answers = answers = Answers(ledger, runs, keeper=keeper, alarm=alarm, reports=reports)
        self._doorbell = Doorbell(source, ledger, answers, timeout_ms=options.doorbell_ms)

    async def run(self) -> None:
        """Work until asked to stop; return when nothing of the engine is left.

        Raises:
            AlreadyStartedError: `run` was called before.
            DeniedError: or whatever else the source finds it can never work with.
            WorkerBrokenError: a part of the engine ended by itself.
        """
        if self._state is not State.NEW:
            raise AlreadyStartedError(self._worker)
        self._state = State.STARTING
        self._loop = asyncio.get_running_loop()
        try:
            if await self._has_opened():
                await self._work()
        finally:
            await self._close()
            self._state = State.STOPPED
            self._ledger.moved.set()
        if self._crash is not None:
            raise self._crash

    def drain(self) -> None:
        """Claim no more, finish what runs, and end; as the first signal does."""
        self._ledger.is_closing = True
        self._request.ask(Urgency.DRAIN)

    def stop_now(self) -> None:
        """Cancel what runs, give it back, and end; as the second signal does."""
        self._ledger.is_closing = True
        self._request.ask(Urgency.AT_ONCE)

    def pause(self) -> None:
        """Claim no more until `resume`; other workers are not concerned."""
        self._ledger.is_paused = True
        if self._loop is not None:
            call_in(self._loop, self._doorbell.hush)

    def resume(self) -> None:
        """Claim again."""
        self._ledger.is_paused = False
        if self._loop is not None:
            call_in(self._loop, self._ledger.expect_work)

    async def until_idle(self) -> None:
        """Wait, on the engine's own loop, until nothing runs and the store knows of all that ran.

        To be sure that it stays so, pause the engine first.
        """
        while self._state is not State.STOPPED and not self._ledger.is_idle:
            self._ledger.moved.clear()
            await self._ledger.moved.wait()

    def health(self) -> Health:
        """How the engine is doing."""
        answered_at = self._answers.answered_at
        return Health(
            state=self._state,
            is_paused=self._ledger.is_paused,
            slots=self._options.concurrency,
            running=self._ledger.running,
            stuck=self._ledger.stuck,
            unsettled=self._ledger.unsettled,
            last_answer_ms_ago=None if answered_at is None else (monotonic() - answered_at) * 1_000,
            problem=self._answers.problem,
        )

    async def _has_opened(self) -> bool:
        await race(self._open(), self._request.reached(Urgency.DRAIN))
        return not self._request.has_reached(Urgency.DRAIN)

    async def _open(self) -> None:
        pauses = after_errors()
        while True:
            try:
                return await self._source.open()
            except UnavailableError as error:
                self._answers.failed(error)
                await asyncio.sleep(pauses.next_s())

    async def _work(self) -> None:
        self._start()
        try:
            await self._request.reached(Urgency.DRAIN)
        except asyncio.CancelledError:
            self.stop_now()
            raise
        finally:
            try:
                await self._shut_down()
            finally:
                self._keeper.stop()
                for task in self._last_tasks | self._other_tasks:
                    task.cancel()

    def _start(self) -> None:
        self._state = State.RUNNING
        self._reports.started(self._options.concurrency)
        self._keeper.start()
        lanes = Lanes(self._source, self._ledger, self._answers, count=self._options.lanes)
        reaper = Reaper(self._source, self._answers)
        listener = Listener(self._source, self._runs, self._answers)
        self._last_tasks = {
            self._spawn(lanes.run(), f"exchange lane {number}")
            for number in range(self._options.lanes)
        }
        self._last_tasks.add(self._spawn(listener.run(), "listener"))
        self._other_tasks = {
            self._spawn(self._doorbell.run(), "doorbell"),
            self._spawn(reaper.run(), "reaper"),
        }

    async def _shut_down(self) -> None:
        steps = Shutdown(
            self._source,
            self._ledger,
            self._runs,
            request=self._request,
            reports=self._reports,
            options=self._options,
        )
        self._state = State.DRAINING
        self._reports.draining(self._ledger.running)
        self._alarm.cancel()
        for task in self._other_tasks:
            task.cancel()
        await steps.drain()
        self._state = State.STOPPING
        await steps.cancel()
        given_back = await steps.give_back(self._last_tasks)
        await cancel(self._other_tasks)
        self._keeper.stop()
        await self._until_keeper_ends(_KEEPER_S)
        self._reports.stopped(self._answers.given_back + given_back)

    async def _close(self) -> None:
        try:
            async with asyncio.timeout(_CLOSE_S):
                await self._source.close()
        except Exception as error:  # noqa: BLE001 - what is thrown away may be broken
            self._answers.failed(error)
        if self._last_tasks:  # the keeper was started; a closed source ends whatever it waits for
            await self._until_keeper_ends(_CLOSE_S)
        self._executor.close()

    async def _until_keeper_ends(self, timeout_s: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._keeper_ended.wait()
                self._keeper.join(timeout_s)

    def _spawn(self, loop: Coroutine[object, object, None], part: str) -> asyncio.Task[None]:
        task = asyncio.create_task(loop, name=f"toril {part} of {self._worker}")
        task.add_done_callback(lambda ended: self._part_ended(part, ended))
        return task

    def _part_ended(self, part: str, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._crashed(error)
        elif not self._request.has_reached(Urgency.DRAIN):
            self._crashed(WorkerBrokenError(self._worker, part))

    def _crashed(self, error: BaseException) -> None:
        if self._crash is None:
            self._crash = error
        self.stop_now()

    def _leases_lost(self, leases: list[Lease]) -> None:
        """Runs on the keeper's thread, as does `_keeper_ends`."""
        if self._loop is not None:
            call_in(self._loop, self._runs.lose, leases)

    def _keeper_ends(self, error: BaseException | None) -> None:
        if self._loop is not None:
            call_in(self._loop, self._keeper_has_ended, error)

    def _keeper_has_ended(self, error: BaseException | None) -> None:
        self._keeper_ended.set()
        if error is not None:
            self._crashed(error)
