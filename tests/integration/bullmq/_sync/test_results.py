"""A result is waited for from wherever the job runs, and however it ends."""  # generated from _async/test_results.py by tools/generate_sync.py: edit that file

from collections.abc import Callable

import pytest
import redis
from tests.integration.bullmq.rigs import Hire, KeyspaceGuard
from tests.support.servers import ValkeyServer, wait_until

from toril import Queue
from toril.bullmq import Job
from toril.core.errors import (
    JobFailedError,
    JobNotFoundError,
    PermanentError,
    ResultTimeoutError,
    UndecodableError,
)


def double(job: Job) -> object:
    return {"doubled": job.data * 2}  # type: ignore[operator]


def refuse(_: Job) -> None:
    raise PermanentError("the address is wrong")


def somebody_listens(client: redis.Redis) -> bool:
    return any(connection["cmd"] == "xread" for connection in client.client_list())


def test_a_result_is_waited_for_on_every_server(
    every_server: ValkeyServer, hire: Hire
) -> None:
    hire(double, every_server.url)
    with Queue("mail", every_server.url) as queue:
        job = queue.add("n", 21)

        assert job.result(timeout=5) == {"doubled": 42}


def test_a_result_may_be_asked_for_before_anybody_works_and_again_when_it_is_there(
    redis_url: str, hire: Hire
) -> None:
    with Queue("mail", redis_url) as queue:
        job = queue.add("n", 21)
        with pytest.raises(ResultTimeoutError, match=r"did not finish within 0\.05 s"):
            job.result(timeout=0.05)

        hire(double, redis_url)

        for _ in range(3):
            assert job.result(timeout=5) == {"doubled": 42}
        found = queue.get_job(job.id)
        assert found is not None
        assert found.result(timeout=0) == {"doubled": 42}
        assert found.record.return_value == {"doubled": 42}


def test_many_results_one_after_the_other(redis_url: str, hire: Hire) -> None:
    hire(double, redis_url)
    with Queue("mail", redis_url) as queue:
        for number in range(20):
            job = queue.add("n", number)
            assert job.result(timeout=5) == {"doubled": number * 2}


def test_waiting_again_uses_the_connection_again(
    redis_url: str, redis_client: redis.Redis, hire: Hire
) -> None:
    hire(double, redis_url)
    with Queue("mail", redis_url) as queue:
        for number in range(3):
            (queue.add("n", number)).result(timeout=5)
        before = redis_client.info("stats")["total_connections_received"]

        for number in range(20):
            (queue.add("n", number)).result(timeout=5)

        assert redis_client.info("stats")["total_connections_received"] - before <= 2


def test_a_job_that_failed_for_good_says_why(redis_url: str, hire: Hire) -> None:
    hire(refuse, redis_url)
    with Queue("mail", redis_url) as queue:
        job = queue.add("n")

        for _ in range(2):
            with pytest.raises(JobFailedError, match="the address is wrong") as failure:
                job.result(timeout=5)

    assert (failure.value.job_id, failure.value.reason) == (job.id, "the address is wrong")


@pytest.mark.parametrize("handler", [double, refuse])
def test_a_job_that_is_removed_as_it_ends_tells_those_who_wait(
    redis_url: str, redis_client: redis.Redis, hire: Hire, handler: Callable[[Job], object]
) -> None:
    def work(job: Job) -> object:
        wait_until(lambda: somebody_listens(redis_client), "somebody listens")
        return handler(job)

    with Queue("mail", redis_url) as queue:
        job = queue.add("n", 21, remove_on_complete=True, remove_on_fail=True)
        hire(work, redis_url)

        if handler is double:
            assert job.result(timeout=5) == {"doubled": 42}
        else:
            with pytest.raises(JobFailedError, match="address"):
                job.result(timeout=5)
        assert queue.get_job(job.id) is None
        with pytest.raises(JobNotFoundError, match=f"no job '{job.id}'"):
            job.result(timeout=5)


def test_a_job_that_is_removed_while_it_waits_is_missed(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with Queue("mail", redis_url) as queue:
        job = queue.add("n")
        redis_client.delete("bull:{mail}:1", "bull:{mail}:wait")

        with pytest.raises(JobNotFoundError):
            job.result(timeout=5)


@pytest.mark.parametrize("result", [None, 0, "", [], {"deep": [{"ü": 1.5}]}, "\u2028"])
def test_every_result_comes_back_as_it_was(
    redis_url: str, hire: Hire, result: object
) -> None:
    hire(lambda _: result, redis_url)
    with Queue("mail", redis_url) as queue:
        job = queue.add("n")

        assert job.result(timeout=5) == result


def test_a_result_that_is_not_json_is_told_apart_from_one(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard, hire: Hire
) -> None:
    keyspace.ignore("I31")
    hire(double, redis_url)
    with Queue("mail", redis_url) as queue:
        job = queue.add("n", 1)
        job.result(timeout=5)
        redis_client.hset("bull:{mail}:1", "returnvalue", "oh, fine")

        with pytest.raises(UndecodableError, match="returnvalue cannot be read"):
            job.result(timeout=5)
