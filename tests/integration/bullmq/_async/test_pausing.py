"""A paused queue gives out no job and loses none, until it is resumed."""

from tests.support.servers import ValkeyServer

from toril import AsyncQueue


async def test_a_pause_sets_jobs_aside_and_a_resume_brings_them_back(
    every_server: ValkeyServer,
) -> None:
    async with AsyncQueue("mail", every_server.url) as queue:
        assert not await queue.is_paused()
        await queue.add("before")
        await queue.pause()
        await queue.add("during")

        assert await queue.is_paused()
        assert (await queue.counts()).paused == 2

        await queue.resume()

        assert not await queue.is_paused()
        assert (await queue.counts()).waiting == 2


async def test_a_queue_can_be_paused_before_it_has_a_job(redis_url: str) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.pause()

    async with AsyncQueue("mail", redis_url) as another:
        assert await another.is_paused()
        await another.resume()
