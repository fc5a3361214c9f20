"""A parent hears of the end of a child, and nothing about it can keep the child from ending."""

from typing import Any, Final

import pytest
import redis
from tests.lua.sending import send
from tests.support.families import make_family

from toril.bullmq.operations.add.add_jobs import AddJobs, NewJob
from toril.bullmq.operations.claim.claim import Claim, ClaimTerms
from toril.bullmq.operations.finish.await_children import AwaitChildren
from toril.bullmq.operations.finish.finish_jobs import FinishJobs
from toril.bullmq.operations.finish.finish_linked import FinishLinked
from toril.bullmq.operations.finish.settlement import Finish, Verdict, Wait
from toril.bullmq.operations.sender import Sender
from toril.bullmq.wire.keys import QueueKeys
from toril.bullmq.wire.options import KeepRule

KEYS: Final = QueueKeys("bull", "{mail}")
SENDER: Final = Sender(KEYS, "w")
TERMS: Final = ClaimTerms(max_bytes=9_999, lock_ms=9_999)
NOW_MS: Final = 1_700_000_000_000
TOKEN: Final = SENDER.token(1)
PENDING: Final = f"{KEYS.job('p')}:dependencies"


@pytest.fixture
def client(redis_client: redis.Redis) -> redis.Redis:
    """Two children run, and their parent waits for them."""
    jobs = [NewJob(id=job_id, name="n", data="1", opts="{}") for job_id in ("p", "a", "b")]
    send(redis_client, AddJobs(keys=KEYS, producer="p", sequence=1, jobs=jobs, clock_ms=NOW_MS))
    make_family(redis_client, "p", {"a": "", "b": "fpof"})
    send(redis_client, Claim(sender=SENDER, sequence=1, want=2, terms=TERMS, clock_ms=NOW_MS))
    return redis_client


def completed(job_id: str) -> Finish:
    return Finish(id=job_id, token=TOKEN, kind="completed", text="1", is_linked=True)


def failed(job_id: str, keep: KeepRule = KeepRule()) -> Finish:  # noqa: B008 - frozen
    return Finish(id=job_id, token=TOKEN, kind="failed", text="no", is_linked=True, keep=keep)


def finish(client: redis.Redis, *ends: Finish) -> object:
    return send(
        client,
        FinishLinked(
            sender=SENDER, sequence=2, finishes=ends, want=0, terms=TERMS, clock_ms=NOW_MS
        ),
    )


def test_two_children_that_end_together_make_their_parent_ready_once(client: redis.Redis) -> None:
    assert finish(client, completed("a"), completed("b")) == [Verdict.STORED] * 2

    assert client.lrange(KEYS.wait, 0, -1) == [b"p"]
    assert client.hgetall(f"{KEYS.job('p')}:processed") == {
        KEYS.job("a").encode(): b"1",
        KEYS.job("b").encode(): b"1",
    }
    assert not client.exists(PENDING, KEYS.waiting_children)


def test_a_child_that_ends_with_the_others_is_sent_back_to_be_told(client: redis.Redis) -> None:
    operation = FinishJobs(
        sender=SENDER, sequence=2, finishes=[completed("a")], want=-1, terms=TERMS
    )

    outcome: Any = send(client, operation)

    assert outcome.verdicts == [Verdict.LINKED]
    assert client.scard(PENDING) == 2
    assert client.exists(f"{KEYS.job('a')}:lock")


@pytest.mark.parametrize(
    "link", ["", "{", "[]", "7", '{"id":7,"queueKey":[]}', '{"fpof":1}', '"' + "x" * 9_999]
)
def test_a_link_that_says_nothing_leaves_the_parent_to_the_field_beside_it(
    client: redis.Redis, link: str
) -> None:
    client.hset(KEYS.job("a"), "parent", link)

    assert finish(client, completed("a")) == [Verdict.STORED]

    assert client.smembers(PENDING) == {KEYS.job("b").encode()}


@pytest.mark.parametrize("parent_key", ["", "nonsense", ":", "bull:{mail}:nobody", "other:queue:1"])
def test_a_parent_that_is_nowhere_counts_as_none(client: redis.Redis, parent_key: str) -> None:
    client.hset(KEYS.job("a"), "parentKey", parent_key)

    assert finish(client, completed("a")) == [Verdict.STORED]

    assert client.zrange(KEYS.completed, 0, -1) == [b"a"]
    assert client.scard(PENDING) == 2


@pytest.mark.parametrize(
    "suffix",
    [
        *("p", "p:dependencies", "p:processed", "p:failed", "p:unsuccessful"),
        *("waiting-children", "delayed", "prioritized", "pc"),
    ],
)
@pytest.mark.parametrize("job_id", ["a", "b"])
def test_a_parent_with_a_foreign_key_does_not_keep_its_child_from_ending(
    client: redis.Redis, suffix: str, job_id: str
) -> None:
    """The keys of another queue, so that only the parent's are foreign."""
    for name in (KEYS.waiting_children, KEYS.job("p"), PENDING):
        client.rename(name, name.replace("{mail}", "{mail}-orders"))
    client.hset(KEYS.job(job_id), "parentKey", "bull:{mail}-orders:p")
    foreign = f"bull:{{mail}}-orders:{suffix}"
    client.delete(foreign)
    client.set(foreign, "foreign")
    end = completed if job_id == "a" else failed

    assert finish(client, end(job_id)) == [Verdict.STORED]

    assert client.hget(KEYS.job(job_id), "finishedOn") == str(NOW_MS).encode()
    assert client.get(foreign) == b"foreign"


def test_a_parent_cannot_complete_before_its_children(client: redis.Redis) -> None:
    lock = KEYS.job("p") + ":lock"
    client.zrem(KEYS.waiting_children, "p")
    client.lpush(KEYS.active, "p")
    client.set(lock, TOKEN)

    assert finish(client, completed("p")) == [Verdict.PENDING_CHILDREN]
    finish(client, failed("a", KeepRule(count=0)), failed("b"))
    assert finish(client, completed("p")) == [Verdict.FAILED_CHILDREN]
    assert client.get(lock) == TOKEN.encode()
    assert finish(client, failed("p")) == [Verdict.STORED]


def test_only_a_parent_with_pending_children_can_wait(client: redis.Redis) -> None:
    waits = [Wait(id="a", token=TOKEN), Wait(id="b", token="another"), Wait(id="x", token=TOKEN)]  # noqa: S106
    operation = AwaitChildren(sender=SENDER, sequence=2, waits=waits)

    assert send(client, operation) == [Verdict.NO_CHILDREN, Verdict.LOCK_LOST, Verdict.MISSING]

    assert client.lrange(KEYS.active, 0, -1) == [b"b", b"a"]
    assert client.exists(f"{KEYS.job('a')}:lock")
