"""What was kept back for the end of a job is added then, whoever wrote it and whatever it says."""

from typing import Any, Final

import pytest
import redis
from tests.lua.sending import send

from toril.bullmq.operations.add.add_jobs import AddJobs, NewJob
from toril.bullmq.operations.claim.claim import Claim, ClaimTerms
from toril.bullmq.operations.finish.finish_linked import FinishLinked
from toril.bullmq.operations.finish.settlement import Finish, Verdict
from toril.bullmq.operations.sender import Sender
from toril.bullmq.wire.keys import QueueKeys
from toril.bullmq.wire.options import DeduplicationRule

KEYS: Final = QueueKeys("bull", "{mail}")
SENDER: Final = Sender(KEYS, "w")
TERMS: Final = ClaimTerms(max_bytes=999, lock_ms=9_999)
NOW_MS: Final = 1_700_000_000_000
DE: Final = KEYS.deduplication("d")
DN: Final = KEYS.kept_job("d")
KEPT: Final[dict[Any, Any]] = {"name": "kept", "data": '{"n":2}', "opts": "{}", "jid": "7"}


@pytest.fixture
def client(redis_client: redis.Redis) -> redis.Redis:
    """One job with a deduplication id runs."""
    rule = DeduplicationRule("d", keep_last=True)
    owner = NewJob(id="", name="owner", data="1", opts="{}", deduplication=rule)
    send(redis_client, AddJobs(keys=KEYS, producer="p", sequence=1, jobs=[owner], clock_ms=NOW_MS))
    send(redis_client, Claim(sender=SENDER, sequence=1, want=1, terms=TERMS, clock_ms=NOW_MS))
    return redis_client


def finish(client: redis.Redis) -> list[str]:
    """End the running job; the events that this made."""
    seen: Any = client.xlen(KEYS.events)
    outcome = Finish(id="1", token=SENDER.token(1), kind="completed", text="null", is_linked=True)
    operation = FinishLinked(
        sender=SENDER, sequence=2, finishes=[outcome], want=0, terms=TERMS, clock_ms=NOW_MS
    )
    assert send(client, operation) == [Verdict.STORED]
    entries: Any = client.xrange(KEYS.events)
    return [fields[b"event"].decode() for _, fields in entries[seen:]]


def test_without_one_the_id_is_free(client: redis.Redis) -> None:
    assert finish(client) == ["completed", "drained"]
    assert not client.exists(DE, DN)


def test_it_is_added_before_the_end_is_told_and_owns_the_id(client: redis.Redis) -> None:
    client.hset(DN, mapping=KEPT)

    assert finish(client) == ["added", "waiting", "completed"]
    assert client.lrange(KEYS.wait, 0, -1) == [b"7"]
    assert client.get(DE) == b"7"
    assert not client.exists(DN)
    assert client.hgetall(KEYS.job("7")) == {
        b"name": b"kept",
        b"data": b'{"n":2}',
        b"opts": b"{}",
        b"timestamp": str(NOW_MS).encode(),
        b"delay": b"0",
        b"priority": b"0",
        b"deid": b"d",
    }


def test_without_an_id_of_its_own_it_gets_the_next_number(client: redis.Redis) -> None:
    client.hset(DN, mapping={name: KEPT[name] for name in ("name", "data", "opts")})
    finish(client)

    assert client.get(DE) == client.get(KEYS.id_counter) == b"2"
    assert client.hget(KEYS.job("2"), "name") == b"kept"


def test_a_job_that_has_its_id_by_now_is_not_overwritten(client: redis.Redis) -> None:
    client.hset(DN, mapping=KEPT)
    client.hset(KEYS.job("7"), mapping={"name": "another", "data": "{}", "opts": "{}"})

    assert finish(client) == ["duplicated", "completed", "drained"]
    assert client.hget(KEYS.job("7"), "name") == b"another"
    assert not client.exists(DE, DN)
    assert not client.exists(KEYS.wait)


def test_it_stays_for_another_job_that_owns_the_id_by_now(client: redis.Redis) -> None:
    client.hset(DN, mapping=KEPT)
    client.set(DE, "99")

    assert finish(client) == ["completed", "drained"]
    assert client.get(DE) == b"99"
    assert client.exists(DN)


@pytest.mark.parametrize("opts", ["{", "[]", "7", '{"delay":"x","priority":null,"lifo":"yes"}'])
def test_options_that_make_no_sense_make_it_wait(client: redis.Redis, opts: str) -> None:
    client.hset(DN, mapping={**KEPT, "opts": opts})
    finish(client)

    assert client.lrange(KEYS.wait, 0, -1) == [b"7"]
    assert client.hget(KEYS.job("7"), "opts") == opts.encode()


def test_a_delayed_one_counts_from_the_end_of_the_owner(client: redis.Redis) -> None:
    client.hset(DN, mapping={**KEPT, "opts": '{"delay":500}'})

    assert finish(client) == ["added", "delayed", "completed", "drained"]
    assert client.zscore(KEYS.delayed, "7") == (NOW_MS + 500) * 4096


@pytest.mark.parametrize("left_out", ["name", "data", "opts"])
def test_what_is_no_job_is_left_alone(client: redis.Redis, left_out: str) -> None:
    client.hset(DN, mapping={name: KEPT[name] for name in KEPT if name != left_out})

    assert finish(client) == ["completed", "drained"]
    assert not client.exists(KEYS.job("7"))


def test_a_foreign_key_in_its_place_does_not_keep_a_job_from_ending(client: redis.Redis) -> None:
    client.set(DN, "foreign")
    client.delete(DE)
    client.sadd(DE, "foreign")

    assert finish(client) == ["completed", "drained"]


@pytest.mark.parametrize("counter", [KEYS.id_counter, KEYS.base + "pc"])
def test_a_counter_that_is_none_stops_it_before_anything_is_written(
    client: redis.Redis, counter: str
) -> None:
    client.hset(DN, mapping=KEPT)
    client.set(counter, "none")

    with pytest.raises(redis.ResponseError, match="counter is not a number"):
        finish(client)

    assert client.exists(KEYS.job("1") + ":lock", DE, DN) == 3


def test_it_has_the_links_of_a_child(client: redis.Redis) -> None:
    parent, siblings = KEYS.job("parent"), KEYS.job("parent") + ":dependencies"
    client.hset(DN, mapping={**KEPT, "pk": parent, "pd": "{}", "pdk": siblings, "rjk": "r"})
    finish(client)

    stored = client.hmget(KEYS.job("7"), "parentKey", "parent", "rjk")
    assert stored == [parent.encode(), b"{}", b"r"]
    assert client.smembers(siblings) == {KEYS.job("7").encode()}
