"""Jobs are added where they belong: in order, once, and all that was asked for is stored."""  # generated from _async/test_adding.py by tools/generate_sync.py: edit that file

import json
from datetime import UTC, datetime, timedelta

import pytest
import redis
from tests.integration.bullmq.rigs import KeyspaceGuard, StartServer
from tests.support.servers import ValkeyServer

from toril import Queue
from toril.bullmq import Counts, Keep
from toril.core.backoff import Backoff
from toril.core.errors import (
    AddError,
    BadInputError,
    ClosedError,
    UnavailableError,
    UndecodableError,
)

NOTHING = Counts(0, 0, 0, 0, 0, 0, 0, 0)


def test_a_job_is_stored_and_waits_on_every_server(every_server: ValkeyServer) -> None:
    with Queue("mail", every_server.url) as queue:
        job = queue.add("welcome", {"to": "ädä"}, attempts=5)
        found = queue.get_job(job.id)
        counts = queue.counts()

    assert (job.id, job.name, job.data, job.created) == ("1", "welcome", {"to": "ädä"}, True)
    assert found is not None
    assert found.data == {"to": "ädä"}
    assert found.record.options.attempts == 5
    assert abs(found.created_at - datetime.now(UTC)) < timedelta(minutes=1)
    assert counts.waiting == 1


def test_every_option_reaches_the_server(redis_url: str, redis_client: redis.Redis) -> None:
    with Queue("mail", redis_url) as queue:
        queue.add(
            "n",
            None,
            job_id="own",
            attempts=7,
            backoff=Backoff.fixed(2, jitter=0.5),
            priority=4,
            remove_on_complete=Keep(count=1, age=60),
            remove_on_fail=True,
            stack_trace_limit=2,
            keep_logs=3,
            timestamp=datetime(2020, 1, 1, tzinfo=UTC),
        )

    stored = redis_client.hgetall("bull:{mail}:own")
    assert json.loads(stored.pop(b"opts")) == {
        "jobId": "own",
        "attempts": 7,
        "backoff": {"type": "fixed", "delay": 2_000, "jitter": 0.5},
        "priority": 4,
        "removeOnComplete": {"count": 1, "age": 60},
        "removeOnFail": True,
        "stackTraceLimit": 2,
        "kl": 3,
        "timestamp": 1_577_836_800_000,
    }
    assert stored == {
        b"name": b"n",
        b"data": b"null",
        b"timestamp": b"1577836800000",
        b"delay": b"0",
        b"priority": b"4",
    }


def test_each_job_goes_where_it_belongs(redis_url: str) -> None:
    with Queue("mail", redis_url) as queue:
        queue.add("waits")
        queue.add("later", delay=3_600)
        queue.add("urgent", priority=1)
        queue.add("later and urgent", priority=1, delay=3_600)
        counts = queue.counts()

    assert (counts.waiting, counts.delayed, counts.prioritized) == (1, 2, 1)


def test_jobs_wait_in_the_order_of_their_adding_and_the_last_in_may_be_first_out(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with Queue("mail", redis_url) as queue:
        queue.add("first", job_id="first")
        queue.add("second", job_id="second")
        queue.add("in a hurry", job_id="hurry", lifo=True)

    assert redis_client.lrange("bull:{mail}:wait", 0, -1) == [b"second", b"first", b"hurry"]


def test_two_thousand_and_five_hundred_jobs_are_added_in_order(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with Queue("mail", redis_url) as queue:
        jobs = queue.add_many(("n", number) for number in range(2_500))

    assert [job.data for job in jobs] == list(range(2_500))
    assert [job.id for job in jobs] == [str(number) for number in range(1, 2_501)]
    waiting = redis_client.lrange("bull:{mail}:wait", 0, -1)
    assert [int(job_id) for job_id in waiting] == list(range(2_500, 0, -1))


def test_jobs_of_one_call_may_differ(redis_url: str) -> None:
    with Queue("mail", redis_url) as queue:
        plain, delayed, own = queue.add_many(
            [("a", 1), ("b", 2, {"delay": 60}), ("c", 3, {"job_id": "own", "priority": 9})]
        )
        counts = queue.counts()

    assert (plain.id, delayed.id, own.id) == ("1", "2", "own")
    assert (counts.waiting, counts.delayed, counts.prioritized) == (1, 1, 1)


def test_adding_no_jobs_is_fine(redis_url: str) -> None:
    with Queue("mail", redis_url) as queue:
        assert queue.add_many([]) == []
        assert queue.counts() == NOTHING


def test_a_second_job_of_one_id_is_not_added(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with Queue("mail", redis_url) as queue:
        first = queue.add("n", "first", job_id="own")
        second = queue.add("n", "second", job_id="own")
        third, other = queue.add_many(
            [("n", "third", {"job_id": "own"}), ("n", "other", {"job_id": "other"})]
        )
        stored = queue.get_job("own")
        counts = queue.counts()

    assert [job.created for job in (first, second, third, other)] == [True, False, False, True]
    assert stored is not None
    assert stored.data == "first"
    assert counts.waiting == 2
    events = [fields[b"event"] for _, fields in redis_client.xrange("bull:{mail}:events")]
    assert events.count(b"duplicated") == 2


def test_one_wrong_job_keeps_all_of_a_call_from_being_sent(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with Queue("mail", redis_url) as queue:
        with pytest.raises(BadInputError, match=r"jobs\[1\]\.data\.when"):
            queue.add_many([("a", 1), ("b", {"when": datetime.now(UTC)})])

    assert redis_client.dbsize() == 0


def test_a_job_as_large_as_it_may_be_is_added_and_a_larger_one_is_not(
    redis_url: str,
) -> None:
    with Queue("mail", redis_url) as queue:
        jobs = queue.add_many([("n", "x" * (10 * 2**20 - 200)), ("n", "y"), ("n", "z")])
        with pytest.raises(BadInputError, match="exceeds the limit of 10 MiB"):
            queue.add("n", "x" * (10 * 2**20))
        counts = queue.counts()

    assert len(jobs) == counts.waiting == 3


def test_a_queue_allows_big_integers_when_it_is_told_to(redis_url: str) -> None:
    with Queue("mail", redis_url, big_integers=True) as queue:
        job = queue.add("n", {"id": 2**63})
        found = queue.get_job(job.id)

    assert found is not None
    assert found.data == {"id": 2**63}


def test_the_length_of_the_event_stream_is_kept_unless_somebody_decides(
    redis_url: str, redis_client: redis.Redis
) -> None:
    for options, length in (({}, b"10000"), ({"max_events": 500}, b"500"), ({}, b"500")):
        with Queue("mail", redis_url, **options) as queue:  # type: ignore[arg-type]
            queue.add("n")
        assert redis_client.hget("bull:{mail}:meta", "opts.maxLenEvents") == length


def test_looking_writes_nothing(redis_url: str, redis_client: redis.Redis) -> None:
    with Queue("mail", redis_url) as queue:
        assert queue.get_job("1") is None
        assert queue.counts() == NOTHING

    assert redis_client.dbsize() == 0


@pytest.mark.parametrize(("field", "value"), [("data", "{"), ("opts", "[]")])
def test_a_job_that_is_spoilt_is_not_passed_off_as_one(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard, field: str, value: str
) -> None:
    keyspace.ignore("I31")
    with Queue("mail", redis_url) as queue:
        job = queue.add("n")
        redis_client.hset(f"bull:{{mail}}:{job.id}", field, value)

        with pytest.raises(UndecodableError, match=f"{field} cannot be read"):
            queue.get_job(job.id)


def test_a_server_without_memory_takes_no_jobs_and_says_so(
    own_server: StartServer,
) -> None:
    server = own_server(maxmemory="20mb")
    with Queue("mail", server.url) as queue:
        queue.add("n")
        with server.client() as client:
            client.config_set("maxmemory", "1mb")

            with pytest.raises(UnavailableError, match="OOM"):
                queue.add("n")
            with pytest.raises(AddError, match="2 of 2 jobs were not added") as refusal:
                queue.add_many([("n", 1), ("n", 2)])

            client.config_set("maxmemory", "20mb")
        queue.add("n")
        counts = queue.counts()

    assert set(refusal.value.errors) == {0, 1}
    assert counts.waiting == 2


def test_a_server_that_is_not_there_is_named() -> None:
    with Queue("mail", "redis://127.0.0.1:1") as queue:
        with pytest.raises(UnavailableError, match=r"127\.0\.0\.1:1: connection refused"):
            queue.add("n")


def test_a_closed_queue_adds_nothing(redis_url: str) -> None:
    queue = Queue("mail", redis_url)
    queue.add("n")
    queue.close()
    queue.close()

    with pytest.raises(ClosedError):
        queue.add("n")
