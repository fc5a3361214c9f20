"""A server that goes away, or has no room left, costs time and no jobs."""

import asyncio
import os
import signal
from collections import Counter

import pytest
from tests.integration.bullmq.rigs import StartServer
from tests.integration.bullmq.workers import working
from tests.support.proxy import Proxy
from tests.support.servers import ValkeyServer

from toril import AsyncQueue, AsyncWorker
from toril.bullmq import AsyncJob
from toril.core.errors import OutcomeUnknownError, UnavailableError
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import (
    ConnectionLost,
    ExchangeFailed,
    JobClaimed,
    JobCompleted,
    JobSuperseded,
    LeaseLost,
    WorkerStarted,
)
from toril.testing import EventWaiter

BASE = "bull:{mail}:"


async def test_a_worker_goes_on_when_its_server_is_back(durable_server: ValkeyServer) -> None:
    runs: Counter[str] = Counter()

    async def note(job: AsyncJob) -> None:
        runs[job.id] += 1

    async with working(note, durable_server.url, concurrency=5) as work:
        for _ in range(3):
            async with AsyncQueue("mail", durable_server.url, emitter=Emitter()) as queue:
                await queue.add_many([("n", 0)] * 20)
            for _ in range(20):
                await work.events.next(JobCompleted)
            durable_server.kill()
            await work.events.next(ConnectionLost, purpose="doorbell")
            durable_server.start()

    assert runs == {str(number): 1 for number in range(1, 61)}


async def test_jobs_that_run_while_the_server_restarts_are_settled_after_it(
    durable_server: ValkeyServer,
) -> None:
    runs: Counter[str] = Counter()
    gate = asyncio.Event()

    async def hold(job: AsyncJob) -> str:
        runs[job.id] += 1
        await gate.wait()
        return "kept"

    async with (
        AsyncQueue("mail", durable_server.url, emitter=Emitter()) as queue,
        working(hold, durable_server.url, concurrency=5) as work,
    ):
        jobs = await queue.add_many([("n", 0)] * 5)
        for _ in jobs:
            await work.events.next(JobClaimed)
        durable_server.kill()
        gate.set()
        await work.events.next(ExchangeFailed)
        durable_server.start()
        for _ in jobs:
            await work.events.next(JobCompleted)
        assert [await job.result(timeout=5) for job in jobs] == ["kept"] * 5

    assert set(runs.values()) == {1}
    assert work.events.count(JobSuperseded) == 0


async def test_who_waits_for_a_result_hears_of_it_after_a_restart(
    durable_server: ValkeyServer,
) -> None:
    began, gate = asyncio.Event(), asyncio.Event()

    async def hold(_: AsyncJob) -> str:
        began.set()
        await gate.wait()
        return "kept"

    async with (
        AsyncQueue("mail", durable_server.url, emitter=Emitter()) as queue,
        working(hold, durable_server.url),
    ):
        job = await queue.add("n")
        waiting = [asyncio.create_task(job.result(timeout=10)) for _ in range(20)]
        await began.wait()
        durable_server.kill()
        gate.set()
        durable_server.start()

        assert await asyncio.gather(*waiting) == ["kept"] * 20


async def test_a_job_is_added_when_the_server_is_back_in_time(
    durable_server: ValkeyServer,
) -> None:
    async with AsyncQueue("mail", durable_server.url, emitter=Emitter()) as queue:
        await queue.add("n")
        durable_server.kill()
        adding = asyncio.create_task(queue.add("n"))
        await asyncio.wait([adding], timeout=0.1)
        durable_server.start()

        assert (await adding).id == "2"


async def test_a_worker_may_be_started_before_its_server(durable_server: ValkeyServer) -> None:
    durable_server.kill()
    emitter = Emitter()
    events = EventWaiter(emitter)

    async def ready(_: AsyncJob) -> None:
        return

    worker = AsyncWorker("mail", ready, durable_server.url, emitter=emitter)
    running = asyncio.create_task(worker.run(handle_signals=False))
    await events.next(ConnectionLost)
    durable_server.start()
    await events.next(WorkerStarted, timeout=10)
    async with AsyncQueue("mail", durable_server.url, emitter=Emitter()) as queue:
        await queue.add("n")
        await events.next(JobCompleted)
    worker.close()
    await running


async def test_a_server_that_stands_still_loses_nothing(durable_server: ValkeyServer) -> None:
    runs: Counter[str] = Counter()

    async def note(job: AsyncJob) -> None:
        runs[job.id] += 1

    target = f"{durable_server.url}?timeout=0.3"
    async with (
        AsyncQueue("mail", durable_server.url, emitter=Emitter()) as queue,
        working(note, target, concurrency=5) as work,
    ):
        await queue.add_many([("n", 0)] * 20)
        await work.events.next(JobCompleted)
        os.kill(durable_server.pid, signal.SIGSTOP)
        adding = asyncio.create_task(queue.add("n"))
        await asyncio.wait([adding], timeout=0.7)
        os.kill(durable_server.pid, signal.SIGCONT)
        await adding
        for _ in range(20):
            await work.events.next(JobCompleted)

    assert runs == {str(number): 1 for number in range(1, 22)}


@pytest.mark.parametrize("lost", [False, True], ids=["in time", "reply lost"])
async def test_a_server_without_memory_takes_the_ends_of_jobs_and_gives_out_no_more(
    own_server: StartServer, *, lost: bool
) -> None:
    server = own_server(maxmemory="50mb")
    gate = asyncio.Event()
    runs: Counter[str] = Counter()

    async def hold(job: AsyncJob) -> None:
        runs[job.id] += 1
        await gate.wait()

    async with (
        AsyncQueue("mail", server.url, emitter=Emitter()) as queue,
        working(hold, server.url, concurrency=2) as work,
    ):
        await queue.add_many([("n", 0)] * 4)
        for _ in range(2):
            await work.events.next(JobClaimed)
        with server.client() as client:
            client.config_set("maxmemory", "1mb")
            if lost:
                _drop_connections(server)
            gate.set()
            for _ in range(2):
                await work.events.next(JobCompleted)
            await work.events.next(ExchangeFailed)
            assert work.events.count(JobClaimed) == 2
            client.config_set("maxmemory", "50mb")
        for _ in range(2):
            await work.events.next(JobCompleted)

    assert set(runs.values()) == {1}
    assert work.events.count(JobSuperseded) == 0


async def test_a_server_that_is_gone_for_long_is_reported_and_nothing_was_added() -> None:
    with ValkeyServer() as server:
        async with AsyncQueue("mail", server.url, emitter=Emitter()) as queue:
            await queue.add("n")
            server.kill()
            with pytest.raises((UnavailableError, OutcomeUnknownError)):
                await queue.add("n")


def _drop_connections(server: ValkeyServer) -> None:
    with server.client() as client:
        client.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")


async def test_an_outcome_that_went_into_a_silent_network_is_sent_again_soon_after_it(
    redis_url: str, proxy: Proxy
) -> None:
    gate = asyncio.Event()

    async def hold(_: AsyncJob) -> None:
        await gate.wait()

    async with (
        AsyncQueue("mail", redis_url, emitter=Emitter()) as queue,
        working(hold, proxy.url, lock=2) as work,
    ):
        job = await queue.add("n")
        await work.events.next(JobClaimed)
        proxy.silence()
        gate.set()
        await work.events.next(ConnectionLost, purpose="exchange", timeout=2)
        proxy.speak()

        await job.result(timeout=3)


async def test_a_handler_is_cancelled_when_silence_outlasts_its_lease(
    redis_url: str, proxy: Proxy
) -> None:
    async def for_ever(_: AsyncJob) -> None:
        await asyncio.Event().wait()

    async def ready(_: AsyncJob) -> None:
        return

    async with (
        AsyncQueue("mail", redis_url, emitter=Emitter()) as queue,
        working(for_ever, proxy.url, lock=2, stalled_interval=0.1) as work,
    ):
        await queue.add("n")
        await work.events.next(JobClaimed)
        proxy.silence()
        await work.events.next(LeaseLost, timeout=4)
        async with working(ready, redis_url, stalled_interval=0.1) as other:
            await other.events.next(JobCompleted)
        proxy.speak()
