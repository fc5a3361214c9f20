"""Uses queues that were made and used before a fork, in every process of it at once."""

import asyncio
import multiprocessing
import os
import threading
import time
from collections.abc import Mapping
from typing import Any, Final

from tests.chaos.programs.worker import descriptors
from tests.support.journal import Journal

from toril import AsyncQueue, Queue
from toril.telemetry.emitter import Emitter

_ADDS: Final = 100
_FORKS: Final = 3
_DEED: Final = {"do": "sleep", "for": 0.005}
_END_S: Final = 20.0


class Forker:
    """One queue object of each colour, and the journal that all processes write to."""

    def __init__(self, options: Mapping[str, Any], journal: Journal) -> None:
        place = (options["queue"], options["url"])
        self._queue: Final = Queue(*place, emitter=Emitter())
        self._async_queue: Final = AsyncQueue(*place, emitter=Emitter())
        self._journal: Final = journal

    def run(self) -> None:
        """Use both queues here, fork, and use them everywhere at the same time."""
        self._add(1)
        asyncio.run(self._add_async(1))
        inherited = _sockets()
        children = [self._fork(inherited) for _ in range(_FORKS)]
        context = multiprocessing.get_context("fork")
        workers = [context.Process(target=self._live, args=(inherited,)) for _ in range(_FORKS)]
        for worker in workers:
            worker.start()
        here = [threading.Thread(target=self._add, args=(_ADDS,)) for _ in range(3)]
        for thread in here:
            thread.start()
        for thread in here:
            thread.join(_END_S)
        codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]
        for worker in workers:
            worker.join(_END_S)
            codes.append(-1 if worker.exitcode is None else worker.exitcode)
        self._expect(not any(codes), f"processes ended with {codes}")
        self._add(1)  # what the children closed is theirs
        asyncio.run(self._close_async())
        self._queue.close()

    def _fork(self, inherited: set[str]) -> int:
        if pid := os.fork():
            return pid
        code = 1
        try:
            self._live(inherited)
            code = 0
        finally:
            os._exit(code)

    def _live(self, inherited: set[str]) -> None:
        """What a child does: as its parent, on connections of its own."""
        self._journal.write("fault", "fork", number=os.getpid())
        self._add(_ADDS)
        own = _sockets() - inherited
        self._expect(own, "a child opened no connection of its own")
        asyncio.run(self._add_async(_ADDS))
        asyncio.run(self._close_async())
        self._queue.close()
        self._expect(not own & _sockets(), "a child did not close its own connection")

    async def _close_async(self) -> None:
        await self._add_async(1)
        await self._async_queue.close()

    def _add(self, count: int) -> None:
        for key in self._keys(count):
            self._journal.write("called", key)
            job = self._queue.add("sleep", {**_DEED, "key": key}, job_id=key)
            self._journal.write("added", key, note=job.id)
            found = self._queue.get_job(key)
            self._expect(job.id == key, f"{job.id} was answered to {key}")
            self._expect(found and found.data["key"] == key, f"{key} was answered otherwise")

    async def _add_async(self, count: int) -> None:
        for key in self._keys(count):
            self._journal.write("called", key)
            job = await self._async_queue.add("sleep", {**_DEED, "key": key}, job_id=key)
            self._journal.write("added", key, note=job.id)
            found = await self._async_queue.get_job(key)
            self._expect(job.id == key, f"{job.id} was answered to {key}")
            self._expect(found and found.data["key"] == key, f"{key} was answered otherwise")

    def _keys(self, count: int) -> list[str]:
        stem = f"{os.getpid()}-{threading.get_ident()}-{time.monotonic_ns()}"
        return [f"{stem}-{number}" for number in range(count)]

    def _expect(self, condition: object, otherwise: str) -> None:
        if not condition:
            self._journal.write("unhandled", "forker", note=otherwise)


def _sockets() -> set[str]:
    return {name for _, _, name in (d.partition(" ") for d in descriptors()) if "socket" in name}


def main(options: Mapping[str, Any]) -> int:
    """Fork and add; what is wrong is in the journal."""
    with Journal(options["journal"]) as journal:
        Forker(options, journal).run()
    return 0
