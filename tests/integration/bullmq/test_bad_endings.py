"""However a handler ends, its job has an end that everybody can read, and the worker goes on."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
import redis
from tests.integration.bullmq.rigs import Hire
from tests.integration.bullmq.workers import until, working

from toril import AsyncJob, AsyncQueue, Job
from toril.core.errors import JobFailedError
from toril.telemetry.events import JobFailed

BASE = "bull:{mail}:"
MIB = 2**20


class DelayedError(Exception):
    """Its name means something to BullMQ, and nothing to toril."""


class UnrecoverableError(Exception):
    """Likewise."""


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


class SlyDict(dict[str, object]):
    def items(self) -> Any:  # noqa: ANN401
        raise RuntimeError("no items")


def generator() -> Iterator[int]:
    yield 1


async def async_generator() -> AsyncIterator[int]:
    yield 1


async def coroutine() -> int:
    return 1


def circle() -> list[object]:
    endless: list[object] = []
    endless.append(endless)
    return endless


def deep() -> list[object]:
    inner: list[object] = []
    for _ in range(5_000):
        inner = [inner]
    return inner


RESULTS: dict[str, tuple[Callable[[], object], str]] = {
    "not a number": (lambda: float("nan"), "result: is nan"),
    "infinity": (lambda: {"at": [float("inf")]}, "result.at[0]: is inf"),
    "a set": (lambda: {1}, "result: is of type set"),
    "bytes": (lambda: b"x", "result: is of type bytes"),
    "an object": (object, "result: is of type object"),
    "a lone surrogate": (lambda: "\ud800", "lone surrogate"),
    "a big integer": (lambda: 2**53, "beyond 2^53-1"),
    "an integer of 5,000 digits": (lambda: 10**5_000, "beyond 2^53-1"),
    "keys of two types": (lambda: {1: "a", "1": "b"}, "key of type int"),
    "a circle": (circle, "contains itself"),
    "5,000 levels": (deep, "nested"),
    "11 MiB": (lambda: "x" * (11 * MIB), "11 MiB exceeds the limit of 10 MiB"),
    "a generator": (generator, "result: is of type generator"),
    "an asynchronous generator": (async_generator, "result: is of type async_generator"),
    "a dict that will not be read": (lambda: SlyDict(a=1), "no items"),
    "an error": (lambda: ValueError("x"), "result: is of type ValueError"),
    "a class": (lambda: dict, "result: is of type type"),
}
"""What is returned, and what is said of it."""

ERRORS: dict[str, tuple[Callable[[], BaseException], str]] = {
    "no message": (ValueError, "ValueError"),
    "a word that BullMQ goes by": (
        lambda: ValueError("bullmq:rateLimitExceeded"),
        "bullmq:rateLimitExceeded",
    ),
    "a name that BullMQ goes by": (lambda: DelayedError("later"), "later"),
    "another name that BullMQ goes by": (lambda: UnrecoverableError("never"), "never"),
    "a message that raises": (MuteError, "MuteError"),
    "a lone surrogate": (lambda: ValueError("cut \ud83d here"), "cut ? here"),
    "a message of 10 MB": (lambda: ValueError("x" * 10_000_000), "characters left out"),
    "a message of control characters": (lambda: ValueError("a\0b\nc"), "a\0b\nc"),
    "a group": (lambda: ExceptionGroup("both", [ValueError("a"), KeyError("b")]), "both"),
    "arguments of all kinds": (lambda: ValueError(b"x", None, {1}), "(b'x', None, {1})"),
    "the end of an asynchronous iteration": (StopAsyncIteration, "StopAsyncIteration"),
    "a timeout": (lambda: TimeoutError("too slow"), "too slow"),
    "an error of toril about another job": (lambda: JobFailedError("9", "no"), "no"),
}
"""What is raised, and what is stored as the reason."""


@pytest.mark.parametrize(("make", "reason"), RESULTS.values(), ids=list(RESULTS))
async def test_a_result_that_is_none_fails_its_job_at_once(
    redis_url: str, redis_client: redis.Redis, make: Callable[[], object], reason: str
) -> None:
    runs: list[str] = []

    async def handle(job: AsyncJob) -> object:
        runs.append(job.id)
        return make() if job.name == "bad" else "fine"

    async with AsyncQueue("mail", redis_url) as queue, working(handle, redis_url) as work:
        bad = await queue.add("bad", attempts=3, backoff=None)
        failure = await work.events.next(JobFailed, job_id=bad.id)
        good = await queue.add("good")
        assert await good.result(timeout=5) == "fine"

    assert reason in failure.reason
    assert runs == [bad.id, good.id]
    assert redis_client.hget(BASE + bad.id, "failedReason") == failure.reason.encode()
    assert redis_client.hget(BASE + bad.id, "stc") is None


@pytest.mark.parametrize(("make", "reason"), ERRORS.values(), ids=list(ERRORS))
async def test_an_error_is_an_attempt_whatever_it_is_called(
    redis_url: str, redis_client: redis.Redis, make: Callable[[], BaseException], reason: str
) -> None:
    runs: list[str] = []

    async def handle(job: AsyncJob) -> object:
        runs.append(job.id)
        if job.name == "bad":
            raise make()
        return "fine"

    async with AsyncQueue("mail", redis_url) as queue, working(handle, redis_url) as work:
        bad = await queue.add("bad", attempts=2, backoff=None)
        failure = await work.events.next(JobFailed, job_id=bad.id)
        good = await queue.add("good")
        assert await good.result(timeout=5) == "fine"

    assert reason in failure.reason
    assert runs == [bad.id, bad.id, good.id]
    stored = redis_client.hgetall(BASE + bad.id)
    assert (stored[b"atm"], stored[b"ats"]) == (b"2", b"2")
    assert stored[b"failedReason"].decode() == failure.reason
    assert len(stored[b"failedReason"]) < 2 * 8_192


async def test_threads_hold_to_the_same_table(
    redis_url: str, redis_client: redis.Redis, hire: Hire
) -> None:
    """All of it at once, in the threads of a worker with blocking handlers."""

    def handle(job: Job) -> object:
        if job.name in RESULTS:
            return RESULTS[job.name][0]()
        if job.name == "a coroutine":
            return coroutine()
        make, _ = ERRORS[job.name.removeprefix("raises ")]
        raise make()

    names = [*RESULTS, "a coroutine", *(f"raises {name}" for name in ERRORS)]
    async with AsyncQueue("mail", redis_url) as queue:
        jobs = await queue.add_many([(name, 0, {"attempts": 1}) for name in names])
        hire(handle, redis_url, concurrency=4)
        await until(lambda: redis_client.zcard(f"{BASE}failed") == len(jobs), "all have failed")

    reasons = {
        **{name: reason for name, (_, reason) in RESULTS.items()},
        "a coroutine": "a plain function",
    }
    reasons |= {f"raises {name}": reason for name, (_, reason) in ERRORS.items()}
    for job in jobs:
        stored = redis_client.hgetall(BASE + job.id)
        assert reasons[job.name] in stored[b"failedReason"].decode(), job.name
        assert (stored[b"atm"], stored[b"ats"], stored.get(b"stc")) == (b"1", b"1", None), job.name
