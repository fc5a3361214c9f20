"""The doctor finds what is wrong with a queue in use, and heals what can be healed."""  # generated from _async/test_doctor.py by tools/generate_sync.py: edit that file

from collections.abc import Callable, Sequence
from typing import TypeAlias

import pytest
import redis
from tests.integration.bullmq.rigs import KeyspaceGuard
from tests.support.servers import ValkeyServer

from toril import Queue
from toril.bullmq import Doctor

BASE = "bull:{mail}:"

Spoil: TypeAlias = Callable[[redis.Redis], object]
Check: TypeAlias = Callable[[redis.Redis], object]


def a_queue(url: str) -> None:
    """Three jobs that are ready, one with a priority, one delayed, and one that has completed."""
    with Queue("mail", url) as queue:
        for number in range(3):
            queue.add("n", {"number": number})
        queue.add("n", priority=3)
        queue.add("n", delay=3600)


def completed(client: redis.Redis, job_id: str) -> None:
    client.lrem(BASE + "wait", 0, job_id)
    client.hset(BASE + job_id, mapping={"finishedOn": "5", "returnvalue": "1"})
    client.zadd(BASE + "completed", {job_id: 5})


def listed(name: str) -> Callable[[redis.Redis], list[bytes]]:
    return lambda client: client.lrange(BASE + name, 0, -1)


def ranked(name: str) -> Callable[[redis.Redis], list[bytes]]:
    return lambda client: client.zrange(BASE + name, 0, -1)


def exists(*names: str) -> Callable[[redis.Redis], int]:
    return lambda client: client.exists(*(BASE + name for name in names))


ILL: dict[str, tuple[list[Spoil], list[tuple[str, str]], Check, object]] = {
    "a job in no state is put back where it is next": (
        [lambda c: c.lrem(BASE + "wait", 0, "3")],
        [("I3", "3")],
        listed("wait"),
        [b"2", b"1", b"3"],
    ),
    "a prioritized job in no state is put back among its like": (
        [lambda c: c.zrem(BASE + "prioritized", "4")],
        [("I3", "4")],
        ranked("prioritized"),
        [b"4"],
    ),
    "a delayed job in no state is delayed again": (
        [lambda c: c.zrem(BASE + "delayed", "5")],
        [("I3", "5")],
        ranked("delayed"),
        [b"5"],
    ),
    "a finished job in no state is where it ended": (
        [lambda c: completed(c, "1"), lambda c: c.delete(BASE + "completed")],
        [("I3", "1")],
        ranked("completed"),
        [b"1"],
    ),
    "a ghost goes from everywhere": (
        [
            lambda c: c.delete(BASE + "2"),
            lambda c: c.zadd(BASE + "delayed", {"2": 4096}),
            lambda c: c.sadd(BASE + "stalled", "2"),
        ],
        [("I1", "2"), ("I2", "2"), ("I6", "2")],
        listed("wait"),
        [b"3", b"1"],
    ),
    "a job in two states stays where it waits": (
        [lambda c: c.zadd(BASE + "delayed", {"1": 5 * 4096})],
        [("I1", "1")],
        lambda c: (listed("wait")(c), ranked("delayed")(c)),
        ([b"3", b"2", b"1"], [b"5"]),
    ),
    "a job that has ended does not wait": (
        [lambda c: completed(c, "1"), lambda c: c.rpush(BASE + "wait", "1", "1")],
        [("I1", "1")],
        lambda c: (listed("wait")(c), ranked("completed")(c)),
        ([b"3", b"2"], [b"1"]),
    ),
    "a job that is there twice is there once": (
        [lambda c: c.lpush(BASE + "wait", "1")],
        [("I1", "1")],
        listed("wait"),
        [b"3", b"2", b"1"],
    ),
    "a lock on a job that waits goes": (
        [lambda c: c.set(BASE + "1:lock", "token")],
        [("I28", "1"), ("I4", "1")],
        exists("1:lock"),
        0,
    ),
    "a job that waits is not suspected": (
        [lambda c: c.sadd(BASE + "stalled", "1")],
        [("I6", "1")],
        exists("stalled"),
        0,
    ),
    "logs of nobody go": (
        [lambda c: c.rpush(BASE + "9:logs", "row"), lambda c: c.sadd(BASE + "9:dependencies", "x")],
        [("I7", "9")],
        exists("9:logs", "9:dependencies"),
        0,
    ),
    "workers are told of jobs that are ready": (
        [lambda c: c.delete(BASE + "marker")],
        [("I8", "marker")],
        ranked("marker"),
        [b"0"],
    ),
    "jobs that a mixed pause has left behind are taken": (
        [lambda c: c.rename(BASE + "wait", BASE + "paused"), lambda c: c.lpush(BASE + "wait", "1")],
        [("I1", "1"), ("I10", "paused")],
        listed("wait"),
        [b"1", b"3", b"2"],
    ),
    "a counter that would give ids out again goes on": (
        [lambda c: c.set(BASE + "id", "2")],
        [("I14", "5")],
        lambda c: c.get(BASE + "id"),
        b"5",
    ),
    "a counter that Redis cannot count with goes on": (
        [lambda c: c.set(BASE + "id", "007")],
        [("I14", "5")],
        lambda c: c.get(BASE + "id"),
        b"5",
    ),
    "a counter of priorities that is none begins anew": (
        [lambda c: c.set(BASE + "pc", "many")],
        [("I15", "pc")],
        exists("pc"),
        0,
    ),
    "a lost job is put back although the counter of priorities is none": (
        [lambda c: c.zrem(BASE + "prioritized", "4"), lambda c: c.set(BASE + "pc", "many")],
        [("I15", "pc"), ("I3", "4")],
        ranked("prioritized"),
        [b"4"],
    ),
    "twenty ghosts go": (
        [lambda c: c.rpush(BASE + "wait", *(f"ghost {n}" for n in range(20)))],
        sorted(("I2", f"ghost {n}") for n in range(20)),
        listed("wait"),
        [b"3", b"2", b"1"],
    ),
    "a deduplication of nobody is free": (
        [lambda c: c.set(BASE + "de:d:1", "99")],
        [("I20", "de:d:1")],
        exists("de:d:1"),
        0,
    ),
    "a limit that never ends goes": (
        [lambda c: c.set(BASE + "limiter", "7")],
        [("I22", "limiter")],
        exists("limiter"),
        0,
    ),
    "state does not expire": (
        [lambda c: c.expire(BASE + "wait", 3600), lambda c: c.expire(BASE + "2", 3600)],
        [("I28", "2"), ("I28", "wait")],
        lambda c: (c.ttl(BASE + "wait"), c.ttl(BASE + "2")),
        (-1, -1),
    ),
}


@pytest.mark.parametrize("name", ILL)
def test_what_is_ill_is_found_and_healed(
    name: str, redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    keyspace.ignore("I29")
    spoils, expected, look, healthy = ILL[name]
    a_queue(redis_url)
    for spoil in spoils:
        spoil(redis_client)

    with Doctor("mail", redis_url) as doctor:
        found = doctor.examine()
        healed = doctor.heal(found)
        after = doctor.examine()

    assert sorted(finding.place for finding in found.findings) == expected
    assert all(finding.can_heal for finding in found.findings)
    assert any(one.deeds for one in healed)
    assert list(after.findings) == []
    assert look(redis_client) == healthy


ODD: dict[str, tuple[Spoil, Sequence[tuple[str, str]]]] = {
    "a parent that waits for nobody": (
        lambda c: (c.lrem(BASE + "wait", 0, "1"), c.zadd(BASE + "waiting-children", {"1": 1})),
        [("I18", "1")],
    ),
    "a key nobody knows": (lambda c: c.set(BASE + "mine", "1"), [("I24", "mine")]),
    "a foreign type": (lambda c: c.hset(BASE + "repeat", "a", "b"), [("I25", "repeat")]),
    "a list of settings": (
        lambda c: (c.delete(BASE + "meta"), c.rpush(BASE + "meta", "x")),
        [("I25", "meta")],
    ),
    "a stream of markers": (
        lambda c: (c.delete(BASE + "marker"), c.xadd(BASE + "marker", {"a": "b"})),
        [("I25", "marker"), ("I8", "marker")],
    ),
    "data that is no JSON": (lambda c: c.hset(BASE + "1", "data", "{'a': 1}"), [("I31", "1")]),
    "long data that is no JSON": (lambda c: c.hset(BASE + "1", "data", "x" * 99), [("I31", "1")]),
    "a counter that does not count": (lambda c: c.hset(BASE + "1", "atm", "x"), [("I31", "1")]),
    "a name that is no text": (
        lambda c: c.lpush(BASE + "wait", b"\xff\xfe"),
        [("I2", "\udcff\udcfe")],
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_what_is_odd_is_found_and_told(
    name: str, redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    spoil, expected = ODD[name]
    keyspace.ignore("I29", *(law for law, _ in expected))
    a_queue(redis_url)
    spoil(redis_client)

    with Doctor("mail", redis_url) as doctor:
        found = doctor.examine()

    assert sorted(finding.place for finding in found.findings) == expected


def test_nothing_is_healed_while_scripts_would_stop_half_way(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    keyspace.ignore("I25", "I3", "I28", "I29")
    a_queue(redis_url)
    redis_client.delete(BASE + "wait")
    redis_client.set(BASE + "wait", "x")
    redis_client.expire(BASE + "events", 3600)

    with Doctor("mail", redis_url) as doctor:
        found = doctor.examine()
        healed = doctor.heal(found)

    assert ("I25", "wait") in [finding.place for finding in found.findings]
    assert healed == []


def test_a_queue_on_every_server_is_in_order(every_server: ValkeyServer) -> None:
    a_queue(every_server.url)

    with Doctor("mail", every_server.url) as doctor:
        examination = doctor.examine()

    assert list(examination.findings) == []
    assert (examination.queue, examination.jobs) == (BASE, 5)


def test_there_may_be_no_such_queue(redis_url: str) -> None:
    with Doctor("mail", redis_url) as doctor:
        examination = doctor.examine()

    assert examination.keys == 0
    assert examination.is_healthy


def test_more_jobs_than_fit_into_one_step_are_read(redis_url: str) -> None:
    with Queue("mail", redis_url) as queue:
        queue.add_many([("n", {"text": "x" * 2_000}) for _ in range(2_500)])

    with Doctor("mail", redis_url) as doctor:
        examination = doctor.examine()

    assert examination.jobs == 2_500
    assert examination.is_healthy
