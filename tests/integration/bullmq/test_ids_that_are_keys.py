"""Nobody reaches a key of the queue, or of one of its jobs, by taking its name for an id."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
import redis
from tests.integration.bullmq.rigs import KeyspaceGuard
from tests.support.keyspace import take_snapshot

from toril import Queue
from toril.bullmq import Deduplication
from toril.bullmq.doctor.layout import INFRASTRUCTURE, SUB_KEYS
from toril.core.errors import JobNotFoundError, JobStateError

BASE = "bull:{mail}:"
IDS = [
    *INFRASTRUCTURE,
    *(f"1:{name}" for name in SUB_KEYS),
    "de:d",
    "dn:d",
    "repeat:daily",
    "nobody",
    "1:",
    "*",
]

VERBS: dict[str, tuple[Callable[[Queue, str], object], list[object]]] = {
    "state": (lambda queue, job_id: queue.jobs.state(job_id), [None, "unknown"]),
    "logs": (lambda queue, job_id: queue.jobs.logs(job_id).rows, [[]]),
    "clear_logs": (lambda queue, job_id: queue.jobs.clear_logs(job_id), [None]),
    "update_data": (lambda queue, job_id: queue.jobs.update_data(job_id, {}), []),
    "promote": (lambda queue, job_id: queue.jobs.promote(job_id), []),
    "change_delay": (lambda queue, job_id: queue.jobs.change_delay(job_id, 5), []),
    "change_priority": (lambda queue, job_id: queue.jobs.change_priority(job_id, 5), []),
    "retry": (lambda queue, job_id: queue.jobs.retry(job_id), []),
    "remove": (lambda queue, job_id: queue.jobs.remove(job_id), [False]),
    "remove_pending_children": (lambda q, job_id: q.jobs.remove_pending_children(job_id), []),
    "leave_parent": (lambda queue, job_id: queue.jobs.leave_parent(job_id), []),
    "cancel": (lambda queue, job_id: queue.jobs.cancel(job_id), []),
    "get_job": (lambda queue, job_id: queue.get_job(job_id), [None]),
}
"""Each verb, and what it may answer, if it does not refuse."""


def contents(client: redis.Redis) -> dict[str, Any]:
    return {name: (key.kind, key.content) for name, key in take_snapshot(client, "").keys.items()}


@pytest.mark.parametrize(("call", "answers"), VERBS.values(), ids=list(VERBS))
def test_an_id_that_is_a_key_is_the_id_of_no_job(
    redis_url: str,
    redis_client: redis.Redis,
    keyspace: KeyspaceGuard,
    call: Callable[[Queue, str], object],
    answers: list[object],
) -> None:
    keyspace.ignore("I3", "I4", "I7", "I18", "I20", "I21", "I24", "I28")
    with Queue("mail", redis_url) as queue:
        queue.add("n", deduplication=Deduplication("d"))
        queue.add("later", delay=50)
        queue.add("urgent", priority=3)
        queue.limits.set_global_concurrency(3)
        queue.get_job("1").log("row")  # type: ignore[union-attr]
        redis_client.set(f"{BASE}1:lock", "token", px=60_000)
        redis_client.sadd(f"{BASE}1:dependencies", "bull:{mail}:2")
        redis_client.hset(f"{BASE}1:processed", "bull:{mail}:3", "null")
        redis_client.hset(f"{BASE}dn:d", mapping={"name": "n", "data": "{}", "opts": "{}"})
        redis_client.hset(f"{BASE}repeat:daily", "name", "n")
        redis_client.zadd(f"{BASE}repeat", {"daily": 1})
        before = contents(redis_client)

        for job_id in IDS:
            with suppress(JobNotFoundError, JobStateError):
                answer = call(queue, job_id)
                assert answer in answers, job_id
            assert contents(redis_client) == before, job_id
