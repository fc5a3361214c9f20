"""What other clients have spoilt in a queue neither stops a worker nor drives it mad."""

from collections.abc import Callable
from time import monotonic
from typing import TypeAlias

import pytest
import redis
from tests.integration.bullmq.rigs import KeyspaceGuard
from tests.integration.bullmq.workers import working

from toril import AsyncJob, AsyncQueue
from toril.bullmq.doctor.layout import INFRASTRUCTURE
from toril.telemetry.events import ExchangeFailed, JobCompleted, JobRetried

BASE = "bull:{mail}:"
USED_UP = 2**53 - 1
HUGE = "9" * 20

Spoil: TypeAlias = Callable[[redis.Redis], object]


def setting(**fields: str) -> Spoil:
    return lambda client: client.hset(f"{BASE}meta", mapping={**fields})


def stored(**fields: str | bytes) -> Spoil:
    """Fields of the job."""
    return lambda client: client.hset(f"{BASE}1", mapping={**fields})


def spent(text: str) -> Spoil:
    """The counter of a rate limit, in the middle of a period."""

    def spoil(client: redis.Redis) -> None:
        setting(max="9", duration="60000")(client)
        client.set(f"{BASE}limiter", text, px=60_000)

    return spoil


def endless(client: redis.Redis) -> None:
    setting(max="9", duration="60000")(client)
    client.set(f"{BASE}limiter", USED_UP)


SPOILT: dict[str, Spoil] = {
    "a concurrency of text": setting(concurrency="x"),
    "a concurrency that is no number": setting(concurrency="nan"),
    "an endless concurrency": setting(concurrency="1e400"),
    "part of a job at a time": setting(concurrency="0.5"),
    "a limit of text": setting(max="x", duration="y"),
    "a limit that is no number": setting(max="nan", duration="1000"),
    "a limit for no time": setting(max="9", duration="0"),
    "a limit for less than no time": setting(max="9", duration="-5"),
    "a limit for part of a millisecond": setting(max="9", duration="0.5"),
    "a limit for ever": setting(max="9", duration=HUGE),
    "a limit for no number": setting(max="9", duration="nan"),
    "a limit without a time": setting(max="9"),
    "a counter of text": spent("x"),
    "a counter of nothing": spent(""),
    "a counter that is no number": spent("nan"),
    "a counter with a blank": spent(" 5"),
    "a counter of parts": spent("1.5"),
    "a counter below nothing": spent("-7"),
    "a counter without an end": endless,
    "a negative number of events": setting(**{"opts.maxLenEvents": "-1"}),
    "too many events to count": setting(**{"opts.maxLenEvents": HUGE}),
    "attempts of text": stored(atm="x"),
    "attempts that are no number": stored(atm="nan", ats="nan", stc="nan"),
    "attempts below nothing": stored(ats="-5", stc="-5"),
    "starts beyond counting": stored(ats=HUGE, stc="inf"),
    "a priority that is no number": stored(priority="nan"),
    "a delay of text": stored(delay="NaN"),
    "a time of text": stored(timestamp="soon", processedOn="then"),
    "progress that is no JSON": stored(progress="{"),
    "a parent that is no JSON": stored(parent="{"),
    "traces that are no list": stored(stacktrace='{"0": "x"}'),
    "traces that are no JSON": stored(stacktrace="Error: x"),
    "fields of a newer version": stored(xyz=b"\xff\x00", pb2="1"),
}

REFUSED_TYPES = ["wait", "active", "delayed", "prioritized", "marker", "events", "meta", "stalled"]
"""Keys that a worker cannot do without."""


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=list(SPOILT))
async def test_a_job_is_run_as_if_nothing_were_wrong(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard, spoil: Spoil
) -> None:
    keyspace.ignore("I13", "I31")
    runs: list[str] = []

    async def handle(job: AsyncJob) -> str:
        runs.append(job.id)
        if len(runs) == 1:
            raise ValueError("once")
        return "done"

    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add("n", attempts=99, backoff=None)
        spoil(redis_client)
        async with working(handle, redis_url) as work:
            await work.events.next(JobRetried, reason="once")
            await work.events.next(JobCompleted, job_id="1")
        found = await queue.get_job("1")

    assert runs == ["1", "1"]
    assert found is not None
    assert found.record.return_value == "done"


@pytest.mark.parametrize("name", REFUSED_TYPES)
async def test_a_worker_without_a_key_it_needs_asks_ever_less_often_and_goes_on_afterwards(
    redis_url: str, redis_client: redis.Redis, name: str
) -> None:
    runs: list[str] = []

    async def handle(job: AsyncJob) -> None:
        runs.append(job.id)

    key = BASE + name
    foreign = redis_client.set if INFRASTRUCTURE[name] == "hash" else redis_client.rpush
    if INFRASTRUCTURE[name] == "list":
        foreign = redis_client.sadd
    async with (
        AsyncQueue("mail", redis_url) as queue,
        working(handle, redis_url, stalled_interval=0.1) as work,
    ):
        before = await queue.add("before")
        await work.events.next(JobCompleted, job_id=before.id)
        sound = redis_client.dump(key)
        redis_client.delete(key)
        foreign(key, "foreign")
        if name != "marker":
            redis_client.zadd(f"{BASE}marker", {"0": 0})

        began = monotonic()
        for _ in range(6):
            await work.events.next(ExchangeFailed)
        took_s = monotonic() - began
        redis_client.delete(key)
        if sound:
            redis_client.restore(key, 0, sound)
        after = await queue.add("after")
        await work.events.next(JobCompleted, job_id=after.id)

    assert took_s > 0.1
    assert runs == [before.id, after.id]
