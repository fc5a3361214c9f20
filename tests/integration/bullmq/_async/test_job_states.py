"""Where a job is, in every state there is."""

import pytest
import redis
from tests.integration.bullmq.rigs import KeyspaceGuard
from tests.support.servers import ValkeyServer

from toril import AsyncQueue
from toril.bullmq import JobState
from toril.core.errors import BadInputError

BASE = "bull:{mail}:"


async def test_a_new_job_is_where_its_options_put_it(every_server: ValkeyServer) -> None:
    async with AsyncQueue("mail", every_server.url) as queue:
        waiting = await queue.add("n")
        delayed = await queue.add("n", delay=60)
        prioritized = await queue.add("n", priority=3)

        assert await waiting.state() == "waiting"
        assert await delayed.state() == "delayed"
        assert await queue.jobs.state(prioritized.id) == "prioritized"


@pytest.mark.parametrize(
    ("command", "state"),
    [
        (("LPUSH", BASE + "paused", "1"), "paused"),
        (("LPUSH", BASE + "active", "1"), "active"),
        (("ZADD", BASE + "waiting-children", 1, "1"), "waiting_children"),
        (("ZADD", BASE + "completed", 1, "1"), "completed"),
        (("ZADD", BASE + "failed", 1, "1"), "failed"),
        (("LPUSH", BASE + "stray", "1"), "unknown"),
    ],
)
async def test_a_job_is_where_its_id_is_stored(
    redis_url: str,
    redis_client: redis.Redis,
    keyspace: KeyspaceGuard,
    command: tuple[str, ...],
    state: JobState,
) -> None:
    keyspace.ignore("I3", "I5", "I10", "I11", "I18", "I24", "I29")
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add("n")
        redis_client.delete(BASE + "wait")
        redis_client.execute_command(*command)

        assert await queue.jobs.state("1") == state

    redis_client.delete(BASE + "stray")


async def test_a_job_that_is_not_there_has_no_state(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        job = await queue.add("n")
        redis_client.delete(BASE + "1", BASE + "wait")

        assert await job.state() is None
        assert await queue.jobs.state("nobody") is None


@pytest.mark.parametrize("job_id", ["", "\ud83d", 7, None])
async def test_what_can_be_no_id_is_refused(redis_url: str, job_id: object) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        with pytest.raises(BadInputError, match="job_id"):
            await queue.jobs.state(job_id)  # type: ignore[arg-type]
