"""The log of a job is read in pages and cleared, and its data is replaced."""

import pytest
import redis
from tests.support.servers import ValkeyServer

from toril import AsyncQueue
from toril.bullmq import LogPage
from toril.core.errors import BadInputError, JobNotFoundError

BASE = "bull:{mail}:"


async def test_a_log_is_read_and_cleared_on_every_server(every_server: ValkeyServer) -> None:
    async with AsyncQueue("mail", every_server.url) as queue:
        job = await queue.add("n")
        [await job.log(f"row {number}") for number in range(5)]

        assert await job.logs(start=1, limit=2) == LogPage(["row 1", "row 2"], 5)
        newest = await job.logs(limit=2, newest_first=True)
        await job.clear_logs(keep=1)
        kept = await job.logs()
        await job.clear_logs()

        assert newest == LogPage(["row 4", "row 3"], 5)
        assert kept == LogPage(["row 4"], 1)
        assert await job.logs() == LogPage([], 0)


async def test_progress_and_rows_are_stored_by_the_id_alone(redis_url: str) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        job = await queue.add("n")

        await queue.jobs.set_progress(job.id, {"step": 2})
        assert [await queue.jobs.log(job.id, f"row {row}", keep=2) for row in range(3)] == [1, 2, 2]

        found = await queue.get_job(job.id)
        assert found is not None
        assert found.record.progress == {"step": 2}
        assert await queue.jobs.logs(job.id) == LogPage(["row 1", "row 2"], 2)
        with pytest.raises(JobNotFoundError):
            await queue.jobs.set_progress("gone", 1)
        with pytest.raises(JobNotFoundError):
            await queue.jobs.log("gone", "row")


@pytest.mark.parametrize("keep", [0, 1_001, "all"])
async def test_a_log_keeps_between_one_row_and_a_thousand(redis_url: str, keep: int) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        with pytest.raises(BadInputError, match="whole number") as refusal:
            await queue.jobs.log("1", "row", keep=keep)

    assert refusal.value.field == "keep"


async def test_progress_and_rows_have_the_limit_of_data(redis_url: str) -> None:
    large = "x" * 11 * 2**20
    async with AsyncQueue("mail", redis_url) as queue:
        job = await queue.add("n")
        with pytest.raises(BadInputError, match="progress: 11 MiB exceeds"):
            await job.set_progress(large)
        with pytest.raises(BadInputError, match="row: 11 MiB exceeds"):
            await job.log(large)

        assert (await job.logs()).total == 0


async def test_rows_that_are_no_text_are_shown_as_well_as_they_can_be(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        job = await queue.add("n")
        redis_client.rpush(BASE + "1:logs", b"\xff", "zwölf".encode())

        assert (await job.logs()).rows == ["\ufffd", "zwölf"]


async def test_data_is_replaced_here_and_there(redis_url: str) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        job = await queue.add("n", {"step": 1})

        await job.update_data({"step": 2})

        found = await queue.get_job(job.id)
        assert found is not None
        assert job.data == found.data == {"step": 2}


async def test_data_may_hold_what_the_queue_lets_in(redis_url: str) -> None:
    async with AsyncQueue("mail", redis_url, big_integers=True) as queue:
        job = await queue.add("n")
        await job.update_data(2**60)
        found = await queue.get_job(job.id)

    assert found is not None
    assert found.data == 2**60


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (float("nan"), "data: is nan"),
        (2**60, "beyond"),
        ({"when": object()}, r"data\.when"),
        ("x" * 11 * 2**20, "11 MiB exceeds the limit of 10 MiB"),
    ],
)
async def test_data_that_cannot_be_stored_is_refused(
    redis_url: str, data: object, problem: str
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        job = await queue.add("n", 1)
        with pytest.raises(BadInputError, match=problem):
            await job.update_data(data)

        assert job.data == 1


async def test_a_job_that_is_gone_is_missed_by_its_log_and_its_data(redis_url: str) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        with pytest.raises(JobNotFoundError):
            await queue.jobs.logs("9")
        with pytest.raises(JobNotFoundError):
            await queue.jobs.clear_logs("9")
        with pytest.raises(JobNotFoundError):
            await queue.jobs.update_data("9", {})


@pytest.mark.parametrize("job_id", ["meta", "wait", "repeat:nightly", "dn:same"])
async def test_what_is_no_job_gets_no_data(
    redis_url: str, redis_client: redis.Redis, job_id: str
) -> None:
    for name in ("repeat:nightly", "dn:same"):
        redis_client.hset(BASE + name, mapping={"name": "n", "data": "1", "opts": "{}", "ic": 1})
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add("n")
        with pytest.raises(JobNotFoundError):
            await queue.jobs.update_data(job_id, {})

    assert redis_client.hget(BASE + "dn:same", "data") == b"1"
    redis_client.delete(BASE + "repeat:nightly", BASE + "dn:same")


@pytest.mark.parametrize("wrong", [{"start": -1}, {"limit": 0}, {"limit": 10_001}, {"start": 1.5}])
async def test_a_part_of_a_log_that_cannot_be_is_refused(
    redis_url: str, wrong: dict[str, int]
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        with pytest.raises(BadInputError, match=next(iter(wrong))):
            await queue.jobs.logs("1", **wrong)
