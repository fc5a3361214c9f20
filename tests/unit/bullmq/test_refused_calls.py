"""What cannot be right is refused before anything is sent: there is no server to send it to."""

import inspect
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, TypeAlias, cast

import pytest

from toril import AsyncJob, AsyncQueue, Job, Queue, QueueEvents
from toril.bullmq.wire.job import JobRecord
from toril.bullmq.wire.options import StoredOptions
from toril.core.errors import BadInputError

NOBODY = "redis://127.0.0.1:1"
NAIVE = datetime(2030, 1, 1)  # noqa: DTZ001 - that is what is wrong with it
NAN = float("nan")
MIB = 2**20

Call: TypeAlias = Callable[[Any], object]

OF_IDS: dict[str, Callable[[Any, Any], object]] = {
    "state": lambda queue, job_id: queue.jobs.state(job_id),
    "logs": lambda queue, job_id: queue.jobs.logs(job_id),
    "clear_logs": lambda queue, job_id: queue.jobs.clear_logs(job_id),
    "update_data": lambda queue, job_id: queue.jobs.update_data(job_id, {}),
    "promote": lambda queue, job_id: queue.jobs.promote(job_id),
    "change_delay": lambda queue, job_id: queue.jobs.change_delay(job_id, 1),
    "change_priority": lambda queue, job_id: queue.jobs.change_priority(job_id, 1),
    "retry": lambda queue, job_id: queue.jobs.retry(job_id),
    "remove": lambda queue, job_id: queue.jobs.remove(job_id),
    "remove_pending_children": lambda queue, job_id: queue.jobs.remove_pending_children(job_id),
    "leave_parent": lambda queue, job_id: queue.jobs.leave_parent(job_id),
    "cancel": lambda queue, job_id: queue.jobs.cancel(job_id),
    "get_job": lambda queue, job_id: queue.get_job(job_id),
}

OF_A_QUEUE: dict[str, tuple[Call, str]] = {
    "rows from before the first": (lambda q: q.jobs.logs("a", start=-1), "start"),
    "no rows": (lambda q: q.jobs.logs("a", limit=0), "limit"),
    "too many rows": (lambda q: q.jobs.logs("a", limit=10**9), "limit"),
    "an order that is neither": (lambda q: q.jobs.logs("a", newest_first="yes"), "newest_first"),
    "fewer than no rows kept": (lambda q: q.jobs.clear_logs("a", keep=-1), "keep"),
    "data that is no JSON": (lambda q: q.jobs.update_data("a", {"x": {1}}), "data.x"),
    "data of 11 MiB": (lambda q: q.jobs.update_data("a", "x" * (11 * MIB)), "data"),
    "a delay below nothing": (lambda q: q.jobs.change_delay("a", -1), "delay"),
    "a delay that is no number": (lambda q: q.jobs.change_delay("a", NAN), "delay"),
    "a delay of text": (lambda q: q.jobs.change_delay("a", "1"), "delay"),
    "a delay until 2050": (lambda q: q.jobs.change_delay("a", 3_000 * 86_400 * 3), "delay"),
    "a priority below nothing": (lambda q: q.jobs.change_priority("a", -1), "priority"),
    "a priority too low": (lambda q: q.jobs.change_priority("a", 2**21), "priority"),
    "a priority of parts": (lambda q: q.jobs.change_priority("a", 1.5), "priority"),
    "a side that is none": (lambda q: q.jobs.change_priority("a", 1, lifo=1), "lifo"),
    "a reset of text": (lambda q: q.jobs.retry("a", reset_attempts="all"), "reset_attempts"),
    "children of text": (lambda q: q.jobs.remove("a", children="all"), "children"),
    "a state that is none": (lambda q: q.jobs.list("__proto__"), "state"),
    "a page before the first": (lambda q: q.jobs.list("failed", start=-1), "start"),
    "an endless page": (lambda q: q.jobs.list("failed", limit=10**9), "limit"),
    "a priority of nobody": (lambda q: q.jobs.counts_per_priority(1, -1), "priority"),
    "a state that does not end": (lambda q: q.jobs.retry_all("delayed"), "state"),
    "a time without a zone": (lambda q: q.jobs.retry_all(before=NAIVE), "before"),
    "a state not to be cleaned": (lambda q: q.jobs.clean("everything"), "state"),
    "grace below nothing": (lambda q: q.jobs.clean("failed", grace=-1), "grace"),
    "a limit of nothing": (lambda q: q.jobs.clean("failed", limit=0), "limit"),
    "a concurrency of nothing": (lambda q: q.limits.set_global_concurrency(0), "concurrency"),
    "a concurrency of parts": (lambda q: q.limits.set_global_concurrency(1.5), "concurrency"),
    "a rate of nothing": (lambda q: q.limits.set_global_rate_limit(0, 1), "max"),
    "a rate in no time": (lambda q: q.limits.set_global_rate_limit(1, 0), "duration"),
    "a rate in no number": (lambda q: q.limits.set_global_rate_limit(1, NAN), "duration"),
    "a rest below nothing": (lambda q: q.limits.rate_limit(-1), "duration"),
    "metrics of nothing": (lambda q: q.metrics.read("waiting"), "kind"),
    "a delayed that is neither": (lambda q: q.drain(delayed="too"), "delayed"),
    "a force that is neither": (lambda q: q.obliterate(force="yes"), "force"),
    "fewer than no events": (lambda q: q.trim_events(-1), "max_length"),
    "an owner of nothing": (lambda q: q.deduplication_owner(""), "deduplication.id"),
    "an id of two lines": (lambda q: q.remove_deduplication("a\nb"), "deduplication.id"),
}

OF_A_JOB: dict[str, tuple[Call, str]] = {
    "progress that is no number": (lambda job: job.set_progress(NAN), "progress"),
    "progress that is no JSON": (lambda job: job.set_progress({"at": b"x"}), "progress.at"),
    "progress of 11 MiB": (lambda job: job.set_progress("x" * (11 * MIB)), "progress"),
    "a row of 11 MiB": (lambda job: job.log("ü" * (6 * MIB)), "row"),
    "a wait below nothing": (lambda job: job.result(timeout=-1), "timeout"),
}


async def answer_of(call: Call, subject: object) -> None:
    answer = call(subject)
    if inspect.isawaitable(answer):
        await cast("Awaitable[object]", answer)


async def refusal_of(call: Call, subject: object) -> BadInputError:
    with pytest.raises(BadInputError) as refusal:
        await answer_of(call, subject)
    return refusal.value


@pytest.fixture(params=[Queue, AsyncQueue])
def queue(request: pytest.FixtureRequest) -> object:
    """One that has nobody to talk to."""
    made: object = request.param("mail", NOBODY)
    return made


@pytest.mark.parametrize("job_id", ["", None, 5, b"own", "\ud800"], ids=repr)
@pytest.mark.parametrize("call", OF_IDS.values(), ids=list(OF_IDS))
async def test_what_can_be_no_id_is_looked_for_nowhere(
    queue: object, call: Callable[[Any, Any], object], job_id: object
) -> None:
    refusal = await refusal_of(lambda asked: call(asked, job_id), queue)

    assert refusal.field == "job_id"


@pytest.mark.parametrize(("call", "field"), OF_A_QUEUE.values(), ids=list(OF_A_QUEUE))
async def test_a_queue_refuses_it(queue: object, call: Call, field: str) -> None:
    assert (await refusal_of(call, queue)).field == field


@pytest.mark.parametrize(("call", "field"), OF_A_JOB.values(), ids=list(OF_A_JOB))
@pytest.mark.parametrize("kind", [Job, AsyncJob])
async def test_a_job_refuses_it(kind: type[Job] | type[AsyncJob], call: Call, field: str) -> None:
    queue = Queue("mail", NOBODY) if kind is Job else AsyncQueue("mail", NOBODY)
    record = JobRecord(id="1", name="n", data=None, options=StoredOptions())
    job = kind(record, queue._store)  # type: ignore[arg-type, union-attr]

    assert (await refusal_of(call, job)).field == field


@pytest.mark.parametrize("after", ["", "x", "1-", "-1", "1-2-3", 5, "$"], ids=repr)
def test_a_place_that_is_none_is_not_read_from(after: Any) -> None:  # noqa: ANN401
    with pytest.raises(BadInputError) as refusal:
        QueueEvents("mail", NOBODY, after=after)

    assert refusal.value.field == "after"
