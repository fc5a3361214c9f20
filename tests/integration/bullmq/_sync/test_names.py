"""Nobody uses the wrong one of two queues without a word."""  # generated from _async/test_names.py by tools/generate_sync.py: edit that file

import pytest
import redis

from toril import Queue
from toril.core.errors import QueueNameAmbiguousError


@pytest.fixture
def node_queue(redis_client: redis.Redis) -> str:
    """A queue as Node leaves it: no braces, one job that waits."""
    base = "bull:mail:"
    redis_client.hset(base + "meta", mapping={"opts.maxLenEvents": 10_000, "version": "bullmq"})
    job = {"name": "n", "data": '{"a":1}', "opts": '{"attempts":0}', "timestamp": 5, "delay": 0}
    redis_client.hset(base + "1", mapping=job | {"priority": 0})
    redis_client.set(base + "id", 1)
    redis_client.lpush(base + "wait", "1")
    redis_client.zadd(base + "marker", {"0": 0})
    return base


@pytest.mark.usefixtures("node_queue")
def test_the_first_use_is_refused_when_only_a_queue_without_braces_exists(
    redis_url: str, redis_client: redis.Redis
) -> None:
    keys = redis_client.dbsize()
    with Queue("mail", redis_url) as queue:
        for use in (queue.counts, lambda: queue.get_job("1"), lambda: queue.add("n")):
            with pytest.raises(QueueNameAmbiguousError, match="hash_tag=False to use") as refusal:
                use()

    assert refusal.value.existing == "bull:mail:"
    assert redis_client.dbsize() == keys


@pytest.mark.usefixtures("node_queue")
def test_adding_many_is_refused_as_well(redis_url: str) -> None:
    with Queue("mail", redis_url) as queue:
        with pytest.raises(QueueNameAmbiguousError):
            queue.add_many([("n", 1)])


@pytest.mark.usefixtures("node_queue")
def test_a_queue_without_braces_is_used_when_that_is_said(redis_url: str) -> None:
    with Queue("mail", redis_url, hash_tag=False) as queue:
        found = queue.get_job("1")
        job = queue.add("n")
        counts = queue.counts()

    assert found is not None
    assert found.data == {"a": 1}
    assert job.id == "2"
    assert counts.waiting == 2


@pytest.mark.usefixtures("node_queue")
def test_a_new_queue_is_made_beside_it_when_that_is_said(redis_url: str) -> None:
    with Queue("mail", redis_url, hash_tag=True) as queue:
        queue.add("n")
    with Queue("mail", redis_url) as queue:
        counts = queue.counts()

    assert counts.waiting == 1


def test_a_name_with_braces_of_its_own_is_used_as_it_is(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with Queue("{mail}", redis_url) as queue:
        queue.add("n")
    with Queue("mail", redis_url) as queue:
        counts = queue.counts()
    with Queue("mail", redis_url, prefix="{app}") as queue:
        queue.add("n")

    assert counts.waiting == 1
    assert redis_client.llen("{app}:mail:wait") == 1


def test_a_look_that_is_forbidden_is_passed_over(
    redis_url: str, redis_client: redis.Redis
) -> None:
    redis_client.execute_command(
        *("ACL", "SETUSER", "narrow", "reset", "on", ">narrow", "+@all", "-@dangerous"),
        *("~bull:{mail}:*", "~toril:{mail}:*"),
    )
    url = redis_url.replace("redis://", "redis://narrow:narrow@")
    try:
        with Queue("mail", url) as queue:
            queue.add("n")
            counts = queue.counts()
    finally:
        redis_client.execute_command("ACL", "DELUSER", "narrow")

    assert counts.waiting == 1
