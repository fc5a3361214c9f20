"""Jobs that are promoted, put off, given another priority and retried by hand."""  # generated from _async/test_moving_jobs.py by tools/generate_sync.py: edit that file

import pytest
import redis
from tests.support.servers import ValkeyServer

from toril import Queue
from toril.core.errors import BadInputError, JobNotFoundError, JobStateError

BASE = "bull:{mail}:"


def test_a_job_is_moved_on_every_server(every_server: ValkeyServer) -> None:
    with Queue("mail", every_server.url) as queue:
        job = queue.add("n", delay=60)
        job.change_delay(30)
        job.promote()
        job.change_priority(3)
        state = job.state()
        job.change_priority(0, lifo=True)

        assert (state, job.state()) == ("prioritized", "waiting")
        with pytest.raises(JobStateError, match="job '1' is waiting, not failed or completed"):
            job.retry()


def test_a_failed_job_is_ready_again_and_forgets_its_attempts_when_asked_to(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with Queue("mail", redis_url) as queue:
        queue.add("n")
        redis_client.hset(
            BASE + "1",
            mapping={"atm": 3, "ats": 3, "failedReason": "no", "finishedOn": 5, "stacktrace": "[]"},
        )
        redis_client.delete(BASE + "wait")
        redis_client.zadd(BASE + "failed", {"1": 5})

        queue.jobs.retry("1", reset_attempts=True)
        job = queue.get_job("1")

    assert job is not None
    assert (job.attempts_made, job.record.failed_reason, job.record.finished_on) == (0, None, None)
    assert redis_client.lrange(BASE + "wait", 0, -1) == [b"1"]
    assert redis_client.hexists(BASE + "1", "stacktrace")


def test_what_is_not_there_cannot_be_moved(redis_url: str) -> None:
    with Queue("mail", redis_url) as queue:
        queue.add("n")
        for move in (queue.jobs.promote, queue.jobs.retry):
            with pytest.raises(JobNotFoundError, match=r"queue '\{mail\}' has no job '9'"):
                move("9")
        with pytest.raises(JobNotFoundError):
            queue.jobs.change_delay("9", 5)
        with pytest.raises(JobNotFoundError):
            queue.jobs.change_priority("9", 5)


@pytest.mark.parametrize("job_id", ["wait", "meta", "id", "events", "delayed", "dn:kept"])
def test_keys_of_the_queue_are_no_jobs(
    redis_url: str, redis_client: redis.Redis, job_id: str
) -> None:
    redis_client.hset(BASE + "dn:kept", mapping={"name": "n", "data": "{}", "opts": "{}"})
    with Queue("mail", redis_url) as queue:
        queue.add("n", delay=60)
        queue.add("n")
        before = [redis_client.dump(key) for key in sorted(redis_client.keys(BASE + "*"))]
        with pytest.raises(JobNotFoundError):
            queue.jobs.change_priority(job_id, 5)
        for move in (queue.jobs.promote, queue.jobs.retry):
            with pytest.raises((JobNotFoundError, JobStateError)):
                move(job_id)

    assert before == [redis_client.dump(key) for key in sorted(redis_client.keys(BASE + "*"))]
    redis_client.delete(BASE + "dn:kept")


@pytest.mark.parametrize("priority", [-1, 2**21, 1.5, True, "3"])
def test_a_priority_that_cannot_be_is_refused(redis_url: str, priority: object) -> None:
    with Queue("mail", redis_url) as queue:
        with pytest.raises(BadInputError, match=r"priority: .* from 0 to 2,097,151"):
            queue.jobs.change_priority("1", priority)  # type: ignore[arg-type]


@pytest.mark.parametrize("delay", [-1, float("nan"), "5", 3 * 365 * 86_400 * 5])
def test_a_delay_that_cannot_be_is_refused(redis_url: str, delay: object) -> None:
    with Queue("mail", redis_url) as queue:
        with pytest.raises(BadInputError, match="delay"):
            queue.jobs.change_delay("1", delay)  # type: ignore[arg-type]


def test_a_key_of_a_foreign_type_stops_a_move_before_it_begins(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with Queue("mail", redis_url) as queue:
        job = queue.add("n", delay=60)
        redis_client.set(BASE + "prioritized", "foreign")
        with pytest.raises(Exception, match="WRONGTYPE"):
            job.promote()
        redis_client.delete(BASE + "prioritized")

        assert job.state() == "delayed"
