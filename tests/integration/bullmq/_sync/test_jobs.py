"""What can be done with a job that is at hand: progress and log."""  # generated from _async/test_jobs.py by tools/generate_sync.py: edit that file

import pytest
import redis
from tests.support.servers import ValkeyServer

from toril import Queue
from toril.core.errors import BadInputError, JobNotFoundError


@pytest.mark.parametrize(
    ("progress", "stored"),
    [(50, b"50"), (0, b"0"), (99.5, b"99.5"), ({"step": 2, "of": 3}, b'{"step":2,"of":3}')],
)
def test_progress_is_stored_and_told(
    redis_url: str, redis_client: redis.Redis, progress: object, stored: bytes
) -> None:
    with Queue("mail", redis_url) as queue:
        job = queue.add("n")

        job.set_progress(progress)

        found = queue.get_job(job.id)
        assert found is not None
        assert found.record.progress == progress
    [(_, last)] = redis_client.xrevrange("bull:{mail}:events", count=1)
    assert last == {b"event": b"progress", b"jobId": b"1", b"data": stored}


def test_progress_that_is_not_json_is_refused(redis_url: str) -> None:
    with Queue("mail", redis_url) as queue:
        job = queue.add("n")

        with pytest.raises(BadInputError, match="progress: is nan"):
            job.set_progress(float("nan"))


def test_rows_are_logged_in_order_on_every_server(every_server: ValkeyServer) -> None:
    with Queue("mail", every_server.url) as queue:
        job = queue.add("n")

        assert [job.log(row) for row in ("one", "zwölf", "")] == [1, 2, 3]

    with every_server.client() as client:
        assert client.lrange("bull:{mail}:1:logs", 0, -1) == [b"one", "zwölf".encode(), b""]


def test_the_newest_rows_are_kept_as_many_as_the_job_says(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with Queue("mail", redis_url) as queue:
        job = queue.add("n", keep_logs=2)
        [job.log(row) for row in "abc"]
        found = queue.get_job(job.id)
        assert found is not None

        assert found.log("d") == 2

    assert redis_client.lrange("bull:{mail}:1:logs", 0, -1) == [b"c", b"d"]


def test_at_most_a_thousand_rows_are_kept(redis_url: str, redis_client: redis.Redis) -> None:
    with Queue("mail", redis_url) as queue:
        job = queue.add("n", keep_logs=5_000)
        redis_client.rpush("bull:{mail}:1:logs", *range(1_000))

        assert job.log("new") == 1_000


def test_a_row_that_is_not_text_is_kept_as_well_as_it_can_be(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with Queue("mail", redis_url) as queue:
        job = queue.add("n")

        job.log("cut \ud83d")
        job.log(7)  # type: ignore[arg-type]

    assert redis_client.lrange("bull:{mail}:1:logs", 0, -1) == [b"cut ?", b"7"]


def test_a_job_that_is_gone_is_missed(redis_url: str, redis_client: redis.Redis) -> None:
    with Queue("mail", redis_url) as queue:
        job = queue.add("n")
        redis_client.delete("bull:{mail}:1", "bull:{mail}:wait")

        with pytest.raises(JobNotFoundError, match=r"queue '\{mail\}' has no job '1'"):
            job.set_progress(1)
        with pytest.raises(JobNotFoundError):
            job.log("row")

    assert redis_client.exists("bull:{mail}:1", "bull:{mail}:1:logs") == 0
