"""A paused queue gives out no job and loses none, until it is resumed."""  # generated from _async/test_pausing.py by tools/generate_sync.py: edit that file

from tests.support.servers import ValkeyServer

from toril import Queue


def test_a_pause_sets_jobs_aside_and_a_resume_brings_them_back(
    every_server: ValkeyServer,
) -> None:
    with Queue("mail", every_server.url) as queue:
        assert not queue.is_paused()
        queue.add("before")
        queue.pause()
        queue.add("during")

        assert queue.is_paused()
        assert (queue.counts()).paused == 2

        queue.resume()

        assert not queue.is_paused()
        assert (queue.counts()).waiting == 2


def test_a_queue_can_be_paused_before_it_has_a_job(redis_url: str) -> None:
    with Queue("mail", redis_url) as queue:
        queue.pause()

    with Queue("mail", redis_url) as another:
        assert another.is_paused()
        another.resume()
