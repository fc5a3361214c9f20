"""The keyspace checker is silent about a clean queue and names the law that each fault breaks."""

from collections.abc import Callable
from typing import TypeAlias

import pytest
from tests.support.keyspace import violations
from tests.unit.support.queue_picture import ADDED_MS, NOW_MS, QueuePicture

from toril.bullmq.doctor.book import ALWAYS, AT_REST

Spoil: TypeAlias = Callable[[QueuePicture], object]

PARENT = {"name": "p", "data": "{}", "opts": "{}", "timestamp": str(ADDED_MS)}


def test_a_clean_queue_breaks_no_law() -> None:
    assert violations(QueuePicture().layout()) == []


def test_a_claimed_job_breaks_no_law_while_somebody_works() -> None:
    queue = QueuePicture()

    queue.claim("1")

    assert violations(queue.layout(), at_rest=False) == []


def test_a_claimed_job_is_a_fault_at_rest() -> None:
    queue = QueuePicture()

    queue.claim("1")

    assert [str(fault) for fault in violations(queue.layout())] == ["I5: 1 is active at rest"]


def test_a_law_can_be_left_out() -> None:
    queue = QueuePicture()

    queue.claim("1")

    assert violations(queue.layout(), ignoring=["I5"]) == []


def test_a_job_retried_by_hand_may_have_more_attempts_than_allowed() -> None:
    queue = QueuePicture()
    again = ("waiting", "active", "failed")

    queue.tell(*({"event": name, "jobId": "5", "prev": "failed"} for name in again))
    queue.set_fields("5", ats="2", atm="2")

    assert violations(queue.layout()) == []


def _claimed(then: Spoil) -> Spoil:
    def spoil(queue: QueuePicture) -> None:
        queue.claim("1")
        then(queue)

    return spoil


def _both(first: Spoil, second: Spoil) -> Spoil:
    def spoil(queue: QueuePicture) -> None:
        first(queue)
        second(queue)

    return spoil


def _with_parent(then: Spoil) -> Spoil:
    def spoil(queue: QueuePicture) -> None:
        queue.put("p", "hash", PARENT)
        queue.put("waiting-children", "zset", {"p": 1.0})
        then(queue)

    return spoil


def _with_scheduler(then: Spoil) -> Spoil:
    def spoil(queue: QueuePicture) -> None:
        queue.put("repeat", "zset", {"daily": float(NOW_MS)})
        queue.put("repeat:daily", "hash", {"name": "x", "ic": "1"})
        then(queue)

    return spoil


FAULTS: dict[str, tuple[str, Spoil]] = {
    "a job in two states": ("I1", lambda q: q.put("paused", "list", ["1"])),
    "a job twice in one list": ("I1", lambda q: q.put("wait", "list", ["1", "1"])),
    "an id without a hash": ("I2", lambda q: q.drop("1")),
    "a hash without data": ("I2", lambda q: q.drop_field("1", "data")),
    "a lost job": ("I3", lambda q: q.drop("wait")),
    "a lock on a waiting job": ("I4", lambda q: q.put("1:lock", "string", "t", 30_000)),
    "an old active job without a lock": (
        "I5",
        _claimed(_both(lambda q: q.drop("1:lock"), lambda q: q.set_fields("1", processedOn="1"))),
    ),
    "a waiting job among the stalled": ("I6", lambda q: q.put("stalled", "set", frozenset("1"))),
    "logs of nobody": ("I7", lambda q: q.put("9:logs", "list", ["row"])),
    "nobody is told of ready jobs": ("I8", lambda q: q.drop("marker")),
    "a waiting job in a paused queue": ("I10", lambda q: q.set_fields("meta", paused="1")),
    "a finish without its time": ("I11", lambda q: q.drop_field("4", "finishedOn")),
    "a finish at another time": ("I11", lambda q: q.put("completed", "zset", {"4": 5.0})),
    "a failure without a reason": ("I11", lambda q: q.drop_field("5", "failedReason")),
    "more attempts made than started": ("I13", lambda q: q.set_fields("4", atm="2")),
    "more attempts made than allowed": ("I13", lambda q: q.set_fields("4", atm="2", ats="2")),
    "an id counter behind": ("I14", lambda q: q.put("id", "string", "4")),
    "no id counter": ("I14", lambda q: q.drop("id")),
    "a counter of arrivals in words": ("I15", lambda q: q.put("pc", "string", "many")),
    "an endless stream": ("I16", lambda q: q.tell(*([{"event": "drained"}] * 10_300))),
    "a parent of no child": ("I18", _with_parent(lambda _: None)),
    "a child that is pending and done": (
        "I19",
        _with_parent(
            _both(
                lambda q: q.put("p:dependencies", "set", frozenset({"bull:mail:1"})),
                lambda q: q.put("p:processed", "hash", {"bull:mail:1": "null"}),
            )
        ),
    ),
    "a deduplication of a job that is gone": ("I20", lambda q: q.put("de:x", "string", "99")),
    "a deduplication of a finished job": ("I20", lambda q: q.put("de:x", "string", "4")),
    "a kept job that nobody waits for": ("I20", lambda q: q.put("dn:x", "hash", {"name": "n"})),
    "a scheduler without a next job": ("I21", _with_scheduler(lambda _: None)),
    "a scheduler without its hash": ("I21", _with_scheduler(lambda q: q.drop("repeat:daily"))),
    "a rate limit for ever": ("I22", lambda q: q.put("limiter", "string", "1")),
    "a key nobody knows": ("I24", lambda q: q.put("mystery", "string", "1")),
    "a key of another type": ("I25", lambda q: q.put("pc", "hash", {"a": "b"})),
    "a job's key of another type": ("I25", lambda q: q.put("4:logs", "string", "row")),
    "a delayed job due before its delay": (
        "I26",
        lambda q: q.put("delayed", "zset", {"3": float(ADDED_MS * 4096)}),
    ),
    "a score of another priority": ("I27", lambda q: q.set_fields("2", priority="4")),
    "a job that expires": ("I28", lambda q: q.expire("4", 1000)),
    "a list that expires": ("I28", lambda q: q.expire("wait", 1000)),
    "a lock for ever": ("I28", _claimed(lambda q: q.expire("1:lock", None))),
    "a finish out of nowhere": (
        "I29",
        lambda q: q.tell({"event": "completed", "jobId": "1"}, {"event": "waiting", "jobId": "1"}),
    ),
    "a second finish": ("I29", lambda q: q.tell({"event": "completed", "jobId": "4"})),
    "a job elsewhere than its events lead": (
        "I29",
        lambda q: q.tell({"event": "active", "jobId": "1"}),
    ),
    "data that is not JSON": ("I31", lambda q: q.set_fields("1", data="{'a': 1}")),
    "a result that only Python reads": ("I31", lambda q: q.set_fields("4", returnvalue="NaN")),
    "a counter that does not count": ("I31", lambda q: q.set_fields("4", atm="x")),
    "too many at once": ("I32", _claimed(lambda q: q.set_fields("meta", concurrency="0"))),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_breaks_its_law(fault: str) -> None:
    law, spoil = FAULTS[fault]
    queue = QueuePicture()

    spoil(queue)

    assert law in {violation.law for violation in violations(queue.layout())}


def test_every_law_is_broken_by_some_fault() -> None:
    laws = {law for law, _ in ALWAYS + AT_REST}

    assert laws == {law for law, _ in FAULTS.values()}
