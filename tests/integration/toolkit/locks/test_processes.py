"""Several processes contend for a lock; some are stopped, some are killed."""

import os
from itertools import cycle, islice
from pathlib import Path
from time import monotonic

import pytest
import redis
from tests.support.contenders import Contender, contenders
from tests.support.servers import wait_until

from toril.toolkit import Lock

WAITERS = "toril:lk:{release}:w"


QUICK = pytest.mark.timeout(40)
LONG = [pytest.mark.long, pytest.mark.timeout(1_000)]


@pytest.mark.parametrize(
    ("processes", "tasks", "rounds"),
    [pytest.param(3, 10, 20, marks=QUICK), pytest.param(4, 50, 100, marks=LONG)],
)
def test_no_increment_is_lost_under_it(
    redis_url: str, tmp_path: Path, processes: int, tasks: int, rounds: int
) -> None:
    number = tmp_path / "number"
    number.write_text("0")
    settings = {"path": str(number), "tasks": tasks, "rounds": rounds}
    with contenders(processes, redis_url, "count", **settings) as counting:
        assert [one.hear() for one in counting] == [{"overlaps": 0}] * processes

    assert int(number.read_text()) == processes * tasks * rounds


@pytest.mark.parametrize("stops", [pytest.param(3, marks=QUICK), pytest.param(200, marks=LONG)])
def test_a_holder_that_was_stopped_is_refused_and_told(redis_url: str, stops: int) -> None:
    ttl = 0.3
    lock = Lock("held", redis_url)
    with Contender(redis_url, "hold", ttl=ttl) as holder:
        for _ in range(stops):
            stale = holder.hear()["fence"]
            holder.stop()
            lease = lock.acquire(wait=ttl + 1)
            assert lease is not None
            assert isinstance(stale, int)
            assert lease.fence > stale
            holder.tell("go on")
            holder.go_on()
            said = holder.hear()
            assert said["lost"] == "LeaseLostError"
            assert isinstance(said["told_after"], float)
            assert said["told_after"] < 0.1
            lease.check()
            lease.release()
    lock.close()


def test_the_next_takes_over_when_the_lease_of_one_that_was_killed_ends(redis_url: str) -> None:
    ttl = 0.5
    lock = Lock("held", redis_url)
    with Contender(redis_url, "hold", ttl=ttl) as holder:
        holder.hear()
        holder.kill()
        began = monotonic()
        with lock.hold():
            assert monotonic() - began < ttl + 0.1
    lock.close()


@pytest.mark.parametrize("handovers", [40, pytest.param(1_000, marks=LONG)])
def test_waiting_is_over_soon_after_a_release(
    redis_url: str, redis_client: redis.Redis, handovers: int
) -> None:
    """Two processes hand the lock to each other; neither asks in vain for long."""
    spans = []
    with Contender(redis_url, "release") as holder:
        holder.hear()
        with Contender(redis_url, "release") as waiter:
            for giver, taker in islice(cycle([(holder, waiter), (waiter, holder)]), handovers):
                wait_until(lambda: redis_client.zcard(WAITERS) == 1, "the other waits")
                giver.tell("release")
                released_at, held_at = giver.hear()["released_at"], taker.hear()["held_at"]
                assert isinstance(released_at, float)
                assert isinstance(held_at, float)
                spans.append(held_at - released_at)

    spans.sort()
    assert spans[len(spans) // 2] < 0.02, spans


def test_a_fork_holds_nothing(redis_url: str) -> None:
    lock = Lock("forked", redis_url)
    lease = lock.acquire()
    assert lease is not None
    pid = os.fork()
    if not pid:
        is_right = (
            lease.lost.is_set()
            and not lease.remaining()
            and lease.release() is False
            and lock.acquire(wait=0) is None
        )
        os._exit(0 if is_right else 1)

    assert os.waitpid(pid, 0)[1] == 0
    lease.check()
    assert lock.acquire(wait=0) is None
    assert lease.release() is True
    lock.close()
