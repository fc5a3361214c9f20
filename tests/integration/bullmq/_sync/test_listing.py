"""Jobs are listed page by page, in order, whatever state they are in."""  # generated from _async/test_listing.py by tools/generate_sync.py: edit that file

from collections.abc import Sequence

import pytest
import redis
from tests.integration.bullmq.rigs import KeyspaceGuard
from tests.support.servers import ValkeyServer

from toril import Job, Queue
from toril.bullmq import JobState
from toril.core.errors import BadInputError, ScriptError

BASE = "bull:{mail}:"

LISTS = {"waiting": "wait", "paused": "paused", "active": "active"}
SETS = {"waiting_children": "waiting-children"} | {
    name: name for name in ("prioritized", "delayed", "completed", "failed")
}


def ids(jobs: Sequence[Job]) -> str:
    """As one word, where every id is a letter."""
    return "".join(job.id for job in jobs)


def jobs_in(queue: Queue, client: redis.Redis, state: str, letters: str) -> None:
    """So many jobs in this state, in the order in which they came there."""
    for number, letter in enumerate(letters, 1):
        queue.add("n", letter, job_id=letter)
        client.lrem(BASE + "wait", 0, letter)
        if state in SETS:
            client.zadd(BASE + SETS[state], {letter: number})
        else:
            client.lpush(BASE + LISTS[state], letter)


@pytest.mark.parametrize("state", [*LISTS, *SETS])
def test_the_jobs_of_every_state_are_listed_from_either_end(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard, state: JobState
) -> None:
    keyspace.ignore(*(f"I{number}" for number in range(1, 40)))
    with Queue("mail", redis_url) as queue:
        jobs_in(queue, redis_client, state, "abcde")

        oldest = queue.jobs.list(state, newest_first=False)
        newest = queue.jobs.list(state, newest_first=True)
        usual = queue.jobs.list(state)

    assert (ids(oldest), ids(newest)) == ("abcde", "edcba")
    assert ids(usual) == ("edcba" if state in ("completed", "failed") else "abcde")


def test_jobs_come_in_the_order_in_which_they_will_run(every_server: ValkeyServer) -> None:
    with Queue("mail", every_server.url) as queue:
        queue.add("n", job_id="b")
        queue.add("n", job_id="c")
        queue.add("n", job_id="a", lifo=True)
        queue.add("n", job_id="e", priority=9)
        queue.add("n", job_id="d", priority=1)
        queue.add("n", job_id="g", delay=60)
        queue.add("n", job_id="f", delay=30)

        assert ids(queue.jobs.list("waiting")) == "abc"
        assert ids(queue.jobs.list("prioritized")) == "de"
        assert ids(queue.jobs.list("delayed")) == "fg"
        assert ids(queue.jobs.list("delayed", "waiting")) == "fgabc"
        assert ids(queue.jobs.list()) == "abcdefg"


def test_jobs_that_wait_in_a_paused_queue_are_listed_as_waiting(redis_url: str) -> None:
    with Queue("mail", redis_url) as queue:
        queue.pause()
        for letter in "abc":
            queue.add("n", job_id=letter)

        assert ids(queue.jobs.list("waiting")) == "abc"
        assert ids(queue.jobs.list("paused")) == "abc"
        assert ids(queue.jobs.list("waiting", "paused", start=1)) == "bc"
        queue.resume()


@pytest.mark.parametrize(
    ("start", "limit", "letters"),
    [
        (0, 1, "a"),
        (0, 3, "abc"),
        (1, 3, "bcd"),
        (2, 100, "cdef"),
        (3, 2, "de"),
        (5, 5, "f"),
        (6, 1, ""),
        (900, 1, ""),
    ],
)
def test_a_page_goes_on_from_one_state_into_the_next(
    redis_url: str, start: int, limit: int, letters: str
) -> None:
    with Queue("mail", redis_url) as queue:
        for letter in "abc":
            queue.add("n", job_id=letter)
        for letter in "def":
            queue.add("n", job_id=letter, delay=ord(letter))

        page = queue.jobs.list("waiting", "delayed", start=start, limit=limit)

    assert ids(page) == letters


def test_a_list_is_as_long_as_it_needs_to_be(redis_url: str) -> None:
    with Queue("mail", redis_url) as queue:
        queue.add_many([("n", number) for number in range(2_500)])

        listed = queue.jobs.list("waiting", limit=2_400)

    assert [job.data for job in listed] == list(range(2_400))


def test_large_jobs_are_read_a_few_at_a_time(redis_url: str) -> None:
    text = "x" * 1_500_000
    with Queue("mail", redis_url) as queue:
        for letter in "abcdefg":
            queue.add("n", text, job_id=letter)

        listed = queue.jobs.list("waiting", start=1, limit=5)

    assert ids(listed) == "bcdef"
    assert all(job.data == text for job in listed)


def test_a_job_that_cannot_be_read_is_listed_as_such(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    keyspace.ignore("I31", "I4")
    with Queue("mail", redis_url) as queue:
        for letter in "abc":
            queue.add("n", letter, job_id=letter)
        redis_client.hset(BASE + "b", "data", "{")

        first, second, third = queue.jobs.list("waiting")

    assert (first.data, first.problem, third.problem) == ("a", None, None)
    assert (second.id, second.name, second.data) == ("b", "n", None)
    assert second.problem is not None
    assert second.problem.startswith("data cannot be read")
    redis_client.flushdb()


def test_ids_without_a_job_are_left_out(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    keyspace.ignore("I1", "I2", "I3")
    with Queue("mail", redis_url) as queue:
        for letter in "ac":
            queue.add("n", letter, job_id=letter)
            redis_client.lpush(BASE + "wait", "gone", "events", "0:0")

        assert ids(queue.jobs.list("waiting")) == "ac"
        assert ids(queue.jobs.list("waiting", start=1, limit=3)) == ""
        assert ids(queue.jobs.list("waiting", start=1, limit=4)) == "c"
    redis_client.flushdb()


def test_a_listed_job_can_be_worked_with(redis_url: str) -> None:
    with Queue("mail", redis_url) as queue:
        queue.add("n", delay=60)
        [job] = queue.jobs.list("delayed")

        job.promote()

        assert job.state() == "waiting"


def test_ready_jobs_are_counted_by_priority(every_server: ValkeyServer) -> None:
    most = 2**21 - 1
    with Queue("mail", every_server.url) as queue:
        for priority in (0, 0, 0, 1, 2, 2, most):
            queue.add("n", priority=priority)
        queue.add("n", priority=2, delay=60)

        counts = queue.jobs.counts_per_priority(0, 1, 2, 3, most, 2)

        assert counts == {0: 3, 1: 1, 2: 2, 3: 0, most: 1}
        assert queue.jobs.counts_per_priority() == {}


def test_jobs_without_a_priority_are_counted_while_the_queue_is_paused(
    redis_url: str,
) -> None:
    with Queue("mail", redis_url) as queue:
        queue.add("n")
        queue.pause()
        queue.add("n")

        assert queue.jobs.counts_per_priority(0) == {0: 2}
        queue.resume()


@pytest.mark.parametrize(
    ("states", "options", "field"),
    [
        (("wait",), {}, "state"),
        (("unknown",), {}, "state"),
        ((None,), {}, "state"),
        ((), {"start": -1}, "start"),
        ((), {"start": "1"}, "start"),
        ((), {"limit": 0}, "limit"),
        ((), {"limit": 100_001}, "limit"),
        ((), {"newest_first": 1}, "newest_first"),
    ],
)
def test_a_list_that_cannot_be_is_refused(
    redis_url: str, states: tuple[JobState, ...], options: dict[str, int], field: str
) -> None:
    with Queue("mail", redis_url) as queue:
        with pytest.raises(BadInputError, match=f"^{field}: "):
            queue.jobs.list(*states, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("priority", [-1, 2**21, 1.5, "1", None])
def test_a_priority_that_no_job_has_is_refused(redis_url: str, priority: int) -> None:
    with Queue("mail", redis_url) as queue:
        with pytest.raises(BadInputError, match=r"^priority: "):
            queue.jobs.counts_per_priority(priority)


def test_a_list_of_somebody_else_s_keys_is_an_error(
    redis_url: str, redis_client: redis.Redis
) -> None:
    redis_client.set(BASE + "active", "no list")
    with Queue("mail", redis_url) as queue:
        with pytest.raises(ScriptError, match="WRONGTYPE"):
            queue.jobs.list("active")
    redis_client.flushdb()
