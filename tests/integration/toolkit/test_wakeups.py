"""Whoever waits is rung as soon as it can miss nothing, however others come and go."""

import threading
from time import monotonic

import redis
from tests.support.servers import wait_until

from toril.connection import Target
from toril.toolkit.leases.wakeups import Wakeups

ROUNDS = 200


def test_whoever_comes_while_the_last_one_leaves_is_rung_at_once(redis_url: str) -> None:
    wakeups = Wakeups(Target.of(redis_url))
    spans = []
    for round_ in range(ROUNDS):
        bell, began = threading.Event(), monotonic()
        with wakeups.listening(f"toril:lk:{{{round_ % 2}}}:w", "me", bell):
            assert bell.wait(5)
        spans.append(monotonic() - began)
        wakeups.end_if_idle()
        if round_ % 2:
            threading.Event().wait(round_ % 7 / 2_000)

    assert max(spans) < 0.9, max(spans)


def test_channels_that_are_left_before_they_are_heard_are_not_heard_for_ever(
    redis_url: str, redis_client: redis.Redis
) -> None:
    wakeups = Wakeups(Target.of(redis_url))
    bell = threading.Event()
    with wakeups.listening("toril:lk:{stays}:w", "me", bell):
        assert bell.wait(5)
        for round_ in range(ROUNDS):
            with wakeups.listening(f"toril:lk:{{{round_}}}:w", "me", threading.Event()):
                threading.Event().wait(round_ % 10 / 10_000)
            wakeups.end_if_idle()

        def only_one_is_heard() -> bool:
            return redis_client.pubsub_channels() == [b"toril:lk:{stays}:w"]

        wait_until(only_one_is_heard, "the others are left", 3)
    wakeups.end_if_idle()
