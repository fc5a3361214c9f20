"""A thread that waits for a result is told when somebody closes the queue."""

import threading
from time import monotonic

import pytest
import redis
from tests.support.servers import wait_until

from toril import Queue
from toril.core.errors import ClosedError


def test_closing_the_queue_ends_the_wait_of_another_thread(
    redis_url: str, redis_client: redis.Redis
) -> None:
    failures: list[BaseException] = []

    def wait() -> None:
        try:
            job.result()
        except ClosedError as error:
            failures.append(error)

    with Queue("mail", redis_url) as queue:
        job = queue.add("n")
        waiting = threading.Thread(target=wait)
        waiting.start()
        wait_until(
            lambda: any(client["cmd"] == "xread" for client in redis_client.client_list()),
            "the thread listens",
        )
    closed = monotonic()
    waiting.join(5)

    assert len(failures) == 1
    assert monotonic() - closed < 1
    with pytest.raises(ClosedError):
        job.result()
    wait_until(
        lambda: not any(client["cmd"] == "xread" for client in redis_client.client_list()),
        "its connection is gone",
    )
