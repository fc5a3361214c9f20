"""toril as a subject of the benchmarks: a request per line in, a reply per line out."""

import asyncio
import json
import random
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import uvloop

from toril import AsyncJob, AsyncQueue, AsyncWorker
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import Event, JobCompleted, WorkerStarted

Request = Mapping[str, Any]
Reply = dict[str, Any]


def url_of(request: Request) -> str:
    return f"redis://127.0.0.1:{request['port']}"


def queue_of(request: Request) -> AsyncQueue:
    return AsyncQueue(request["queue"], url_of(request), hash_tag=False, emitter=Emitter())


async def process(request: Request) -> Reply:
    """Work `warm` jobs, then measure `count` more: from the first start to the last completion."""
    warm, last = request["warm"], request["warm"] + request["count"]
    started = completed = 0
    began = cpu = 0.0
    took: Reply = {}

    async def handle(_: AsyncJob) -> None:
        nonlocal started, began, cpu
        if started == warm:
            began, cpu = time.perf_counter(), time.process_time()
        started += 1

    def hear(event: Event) -> None:
        nonlocal completed
        if isinstance(event, JobCompleted):
            completed += 1
            if completed == last:
                took["seconds"] = time.perf_counter() - began
                took["cpu_seconds"] = time.process_time() - cpu
                worker.close()

    worker = AsyncWorker(
        request["queue"],
        handle,
        url_of(request),
        hash_tag=False,
        concurrency=request["concurrency"],
        emitter=Emitter(hear),
    )
    await worker.run()
    return took


async def add_one_by_one(request: Request) -> Reply:
    """One job a call, so many calls in flight."""
    async with queue_of(request) as queue:
        left = 0

        async def lane() -> None:
            nonlocal left
            while left > 0:
                left -= 1
                await queue.add("n", {"n": left})

        async def add(many: int) -> None:
            nonlocal left
            left = many
            await asyncio.gather(*(lane() for _ in range(request["in_flight"])))

        await add(request["warm"])
        began = time.perf_counter()
        await add(request["count"])
        return {"seconds": time.perf_counter() - began}


async def add_in_bulk(request: Request) -> Reply:
    """So many jobs a call, one call after the other."""
    jobs = [("n", {"n": number}) for number in range(request["chunk"])]
    async with queue_of(request) as queue:

        async def add(many: int) -> None:
            for _ in range(0, many, request["chunk"]):
                await queue.add_many(jobs)

        await add(request["warm"])
        began = time.perf_counter()
        await add(request["count"])
        return {"seconds": time.perf_counter() - began}


class Listener:
    """A worker beside the requests, which notes when each job begins, by its number."""

    def __init__(self) -> None:
        self._begun: dict[str, Reply] = {}
        self._delay_ms = 0
        self._worker: AsyncWorker | None = None
        self._task: asyncio.Task[None] | None = None

    async def listen(self, request: Request) -> Reply:
        self._begun.clear()
        self._delay_ms = request["delay_ms"]
        ready = asyncio.Event()

        def hear(event: Event) -> None:
            if isinstance(event, WorkerStarted):
                ready.set()

        self._worker = AsyncWorker(
            request["queue"],
            self._handle,
            url_of(request),
            hash_tag=False,
            concurrency=request["concurrency"],
            emitter=Emitter(hear),
        )
        self._task = asyncio.create_task(self._worker.run(handle_signals=False))
        await ready.wait()
        await asyncio.sleep(0.2)
        return {}

    async def heard(self, _: Request) -> Reply:
        assert self._worker is not None
        assert self._task is not None
        self._worker.close()
        await self._task
        return self._begun

    async def _handle(self, job: AsyncJob) -> None:
        record = job.record
        late_ms = time.time() * 1_000 - record.timestamp - self._delay_ms
        number = str(record.data["n"])  # type: ignore[index]
        self._begun[number] = {"at": time.perf_counter(), "late_ms": late_ms}


async def knock(request: Request) -> Reply:
    """Add a job now and then, and note the moment before each call."""
    called: Reply = {}
    pause_s = request["pause_ms"] / 1_000
    async with queue_of(request) as queue:
        await queue.counts()
        for number in range(request["count"]):
            called[str(number)] = time.perf_counter()
            await queue.add("n", {"n": number}, delay=request["delay_ms"] / 1_000)
            await asyncio.sleep(pause_s + random.random() * pause_s)  # noqa: S311
    return called


async def serve() -> None:
    """Answer requests until there are no more."""
    listener = Listener()
    verbs: Final[Mapping[str, Callable[[Request], Awaitable[Reply]]]] = {
        "process": process,
        "add_one_by_one": add_one_by_one,
        "add_in_bulk": add_in_bulk,
        "listen": listener.listen,
        "heard": listener.heard,
        "knock": knock,
    }
    while line := await asyncio.to_thread(sys.stdin.readline):
        request = json.loads(line)
        try:
            answer: Reply = {"value": await verbs[request["verb"]](request)}
        except Exception as error:  # noqa: BLE001 - whoever asked is told
            answer = {"error": repr(error)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    uvloop.run(serve())
