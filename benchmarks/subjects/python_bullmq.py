"""The official Python port of BullMQ as a subject of the benchmarks; it only works jobs."""

import asyncio
import json
import sys
import time
from collections.abc import Mapping
from typing import Any

import bullmq


async def process(request: Mapping[str, Any]) -> dict[str, float]:
    """Work `warm` jobs, then measure `count` more: from the first start to the last completion."""
    warm, last = request["warm"], request["warm"] + request["count"]
    started = completed = 0
    began = cpu = 0.0
    took: dict[str, float] = {}
    done = asyncio.Event()

    async def handle(_: bullmq.Job, __: str) -> None:
        nonlocal started, began, cpu
        if started == warm:
            began, cpu = time.perf_counter(), time.process_time()
        started += 1

    def hear(*_: object) -> None:
        nonlocal completed
        completed += 1
        if completed == last:
            took["seconds"] = time.perf_counter() - began
            took["cpu_seconds"] = time.process_time() - cpu
            done.set()

    options = {
        "connection": f"redis://127.0.0.1:{request['port']}",
        "concurrency": request["concurrency"],
    }
    worker = bullmq.Worker(request["queue"], handle, options)
    worker.on("completed", hear)
    await done.wait()
    await worker.close()
    return took


async def serve() -> None:
    """Answer requests until there are no more."""
    while line := await asyncio.to_thread(sys.stdin.readline):
        sys.stdout.write(json.dumps({"value": await process(json.loads(line))}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(serve())
