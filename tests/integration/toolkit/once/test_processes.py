"""Several processes run one key; some are killed, some are stopped, some give up."""

import asyncio
import json
import signal
from collections.abc import Coroutine, Iterator
from contextvars import Context
from pathlib import Path
from time import monotonic
from typing import Final

import pytest
import redis
from tests.support.event_log import EventLog
from tests.support.fleets import ValkeyCluster
from tests.support.nursery import Nursery
from tests.support.servers import ValkeyServer, wait_until
from tests.support.turns import break_off, turns

from toril.connection import AsyncConnection
from toril.telemetry.toolkit_leases import LeaseGone
from toril.toolkit import AsyncOnce, LeaseLostError, RecursiveRunError

PROGRAM: Final = "tests.integration.toolkit.programs.runner"
KEY: Final = "toril:on:{pay:order:7}"


def elsewhere(coroutine: Coroutine[object, object, str]) -> asyncio.Task[str]:
    """Begin a task that is no part of the run that begins it."""
    return asyncio.create_task(coroutine, context=Context())


@pytest.fixture
def nursery(tmp_path: Path) -> Iterator[Nursery]:
    with Nursery(tmp_path, [PROGRAM]) as running:
        yield running


@pytest.mark.timeout(40)
def test_a_hundred_callers_at_once_get_the_result_of_one_run(
    redis_url: str, tmp_path: Path, nursery: Nursery
) -> None:
    options = {"url": redis_url, "folder": str(tmp_path), "tasks": 25}
    callers = [nursery.start(PROGRAM, options, name=f"caller-{n}") for n in range(4)]
    assert [caller.wait(20) for caller in callers] == [0] * 4

    [run] = tmp_path.glob("run-*")
    results = [json.loads(path.read_text()) for path in tmp_path.glob("results-*")]
    assert results == [[{"by": int(run.name.removeprefix("run-"))}] * 25] * 4


async def test_another_begins_when_the_lease_of_one_that_was_killed_ends(
    redis_url: str, tmp_path: Path, nursery: Nursery
) -> None:
    lease = 0.5

    async def work() -> float:
        return monotonic()

    once = AsyncOnce("pay", redis_url, ttl=60, lease=lease)
    options = {"url": redis_url, "folder": str(tmp_path), "lease": lease}
    first = nursery.start(PROGRAM, options, name="first")
    wait_until((tmp_path / "begun").exists, "the first run begins")
    waiting = asyncio.create_task(once.run("order:7", work))
    await asyncio.wait([waiting], timeout=lease * 1.5)
    assert not waiting.done(), "it is renewed while its process lives"
    killed_at = monotonic()
    first.signal(signal.SIGKILL)
    began_at = await waiting

    assert 0 < began_at - killed_at < lease + 0.2
    await once.close()


async def test_a_run_that_was_frozen_is_left_by_an_error_when_it_wakes(
    redis_url: str, tmp_path: Path, nursery: Nursery
) -> None:
    """The second has begun when the process of the first goes on."""
    once = AsyncOnce("pay", redis_url, ttl=60, lease=0.3)
    options = {"url": redis_url, "folder": str(tmp_path), "lease": 0.3}
    first = nursery.start(PROGRAM, options, name="first")
    wait_until((tmp_path / "begun").exists, "the first run begins")
    first.signal(signal.SIGSTOP)

    async def work() -> str:
        first.signal(signal.SIGCONT)
        assert await asyncio.to_thread(first.wait, 10) != 0
        return "second"

    assert await once.run("order:7", work) == "second"
    assert "LeaseLostError" in first.log.read_text()
    await once.close()


async def test_whoever_waits_is_woken_and_asks_seldom(
    redis_url: str, redis_client: redis.Redis
) -> None:
    """Whoever waits looks when it begins to, when it is heard, once a second, and at the end."""
    once = AsyncOnce("pay", redis_url, ttl=60)
    waiters = 20

    async def nothing() -> str:
        return "twice"

    async def work() -> str:
        tasks.extend(elsewhere(once.run("order:7", nothing)) for _ in range(waiters))
        await asyncio.wait(tasks, timeout=1.5)
        return "once"

    tasks: list[asyncio.Task[str]] = []
    before = calls_of(redis_client)
    assert await once.run("order:7", work) == "once"
    ended_at = monotonic()
    assert await asyncio.gather(*tasks) == ["once"] * waiters

    assert monotonic() - ended_at < 0.5
    assert calls_of(redis_client) - before <= waiters * 4 + 10
    await once.close()


async def test_tasks_that_a_run_begins_are_parts_of_it(redis_url: str) -> None:
    once = AsyncOnce("pay", redis_url, ttl=60)

    async def work() -> list[object]:
        calls = [once.run(key, nothing) for key in ("order:7", "order:8")]
        return await asyncio.gather(*calls, return_exceptions=True)

    async def nothing() -> str:
        return "nothing"

    async def outer() -> str:
        own, another = await work()
        assert isinstance(own, RecursiveRunError)
        assert another == "nothing"
        return "once"

    assert await once.run("order:7", outer) == "once"
    assert await work() == ["once", "nothing"]
    await once.close()


async def test_a_run_whose_lease_is_lost_is_cancelled(
    redis_url: str, redis_client: redis.Redis
) -> None:
    log = EventLog()
    once = AsyncOnce("pay", redis_url, ttl=60, lease=0.3, emitter=log.emitter)
    began = monotonic()

    async def work() -> None:
        redis_client.delete(KEY)
        await asyncio.Event().wait()

    with pytest.raises(LeaseLostError):
        await once.run("order:7", work)

    assert monotonic() - began < 0.3
    assert [event.kind for event in log.of(LeaseGone)] == ["run"]
    await once.close()


async def test_no_cancellation_leaves_anything_behind(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async def work() -> str:
        await turns(1)
        return "once"

    async with AsyncConnection(redis_url) as connection:
        once = AsyncOnce("pay", connection, ttl=60)
        await once.run("another", work)
        for round_ in range(200):
            await break_off(once.run("order:7", work), after=round_ % 20)
            await once.forget("order:7")

        def nothing_goes_on() -> bool:
            return redis_client.hget(KEY, "state") != b"running"

        await asyncio.to_thread(wait_until, nothing_goes_on, "nothing goes on", 1)


async def test_a_key_lives_on_a_cluster(cluster: ValkeyCluster) -> None:
    once = AsyncOnce("pay", cluster.url, ttl=60)
    await once.forget("order:7")

    async def work() -> str:
        tasks.extend(elsewhere(once.run("order:7", nothing)) for _ in range(5))
        await asyncio.wait(tasks, timeout=0.3)
        return "once"

    async def nothing() -> str:
        return "twice"

    tasks: list[asyncio.Task[str]] = []
    assert await once.run("order:7", work) == "once"
    ended_at = monotonic()
    assert await asyncio.gather(*tasks) == ["once"] * 5
    assert monotonic() - ended_at < 0.5
    await once.close()


async def test_every_server_wakes_those_who_wait(every_server: ValkeyServer) -> None:
    once = AsyncOnce("pay", every_server.url, ttl=60)

    async def work() -> str:
        tasks.extend(elsewhere(once.run("order:7", nothing)) for _ in range(5))
        await asyncio.wait(tasks, timeout=0.3)
        return "once"

    async def nothing() -> str:
        return "twice"

    tasks: list[asyncio.Task[str]] = []
    assert await once.run("order:7", work) == "once"
    ended_at = monotonic()
    assert await asyncio.gather(*tasks) == ["once"] * 5
    assert monotonic() - ended_at < 0.5
    await once.close()


def calls_of(client: redis.Redis) -> int:
    return int(client.info("commandstats").get("cmdstat_evalsha", {"calls": 0})["calls"])
