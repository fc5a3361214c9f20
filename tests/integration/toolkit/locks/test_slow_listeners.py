"""Whoever is told of a loss may take its time."""

import threading

import redis

from toril.connection import Connection
from toril.toolkit import Lock


def test_a_listener_that_blocks_keeps_no_lease_from_renewal(
    redis_url: str, redis_client: redis.Redis
) -> None:
    blocks, may_go = threading.Event(), threading.Event()

    def block(_: object) -> None:
        blocks.set()
        may_go.wait(10)

    with Connection(redis_url) as connection:
        kept = Lock("kept", connection, ttl=0.3).acquire()
        lease = Lock("a", connection, ttl=0.3, on_lost=block).acquire()
        assert kept is not None
        assert lease is not None
        redis_client.delete("toril:lk:{a}")
        assert blocks.wait(5)

        assert kept.lost.wait(1) is False
        kept.check()
        may_go.set()
        assert kept.release() is True
