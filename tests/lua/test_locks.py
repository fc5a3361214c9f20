"""What the scripts of locks answer, alone on a server."""

from collections.abc import Iterator

import pytest
import redis
from tests.lua.sending import send
from tests.support.servers import ValkeyServer

from toril.core.errors import UndecodableError
from toril.toolkit.keys import Keys
from toril.toolkit.leases.claim import Busy, Granted
from toril.toolkit.locks.operations.acquire import Acquire
from toril.toolkit.locks.operations.give_up import GiveUp
from toril.toolkit.locks.operations.look import Look
from toril.toolkit.locks.operations.release import Release
from toril.toolkit.locks.operations.renew import Renew
from toril.toolkit.locks.wire import LockKeys

LOCK = LockKeys(Keys("toril", "lk"), "a")
HOLDER = '{"label":"","host":"here","pid":1}'
SECOND_US = 1_000_000


def acquire(token: str, *, waits: bool = False, fair: bool = False) -> Acquire:
    return Acquire(
        keys=LOCK,
        token=token,
        ttl_ms=10_000,
        holder=HOLDER,
        member=f"p{token}" if waits else "",
        is_fair=fair,
    )


def give_up(token: str, *, in_doubt: bool = True) -> GiveUp:
    return GiveUp(keys=LOCK, token=token, member=f"p{token}", in_doubt=in_doubt)


def state(client: redis.Redis) -> dict[bytes, bytes | None]:
    return {key: client.dump(key) for key in client.scan_iter("*")}


@pytest.fixture
def client(every_server: ValkeyServer) -> Iterator[redis.Redis]:
    with every_server.client() as client:
        yield client


def test_a_second_arrival_is_granted_the_same(client: redis.Redis) -> None:
    first = send(client, acquire("one"))
    assert isinstance(first, Granted)
    assert send(client, acquire("one")) == first


def test_what_is_refused_changes_nothing(client: redis.Redis) -> None:
    send(client, acquire("one"))
    before = state(client)

    assert isinstance(send(client, acquire("two")), Busy)
    assert send(client, Renew(keys=LOCK, token="two", ttl_ms=99_000)) is False  # noqa: S106
    assert send(client, Release(keys=LOCK, token="two")) is False  # noqa: S106
    assert state(client) == before


def test_a_renewal_makes_nothing_that_is_not_there(client: redis.Redis) -> None:
    assert send(client, Renew(keys=LOCK, token="one", ttl_ms=1_000)) is False  # noqa: S106
    assert state(client) == {}


def test_what_was_given_up_in_doubt_gets_nothing_however_late(client: redis.Redis) -> None:
    send(client, give_up("one"))

    assert isinstance(send(client, acquire("one", waits=True)), Busy)
    assert not client.exists(LOCK.lock, LOCK.waiters)
    assert isinstance(send(client, acquire("two")), Granted)


def test_giving_up_lets_go_and_leaves_the_line(client: redis.Redis) -> None:
    send(client, acquire("one"))
    send(client, acquire("two", waits=True))
    send(client, give_up("two", in_doubt=False))
    assert not client.exists(LOCK.waiters, LOCK.seen)
    send(client, give_up("one", in_doubt=False))
    assert list(state(client)) == [LOCK.fence.encode()]


@pytest.mark.parametrize("leave", [Release(keys=LOCK, token="one"), give_up("one")])  # noqa: S106
def test_whoever_lets_go_wakes_the_first_in_line_alone(
    client: redis.Redis, leave: Release | GiveUp
) -> None:
    send(client, acquire("one"))
    for token in ("two", "three"):
        send(client, acquire(token, waits=True))
    with client.pubsub(ignore_subscribe_messages=True) as ears:
        ears.subscribe(LOCK.waiters, "end")
        while ears.get_message(timeout=1):
            pass
        send(client, leave)
        client.publish("end", "end")
        heard = list(iter(lambda: (ears.get_message(timeout=5) or {}).get("data"), b"end"))

    assert [word for word in heard if word] == [b"ptwo"]


def test_one_that_waits_too_long_goes_before_those_that_come_by(client: redis.Redis) -> None:
    send(client, acquire("one"))
    send(client, acquire("two", waits=True))
    send(client, Release(keys=LOCK, token="one"))  # noqa: S106
    assert isinstance(send(client, acquire("three")), Granted)
    send(client, Release(keys=LOCK, token="three"))  # noqa: S106
    client.zincrby(LOCK.waiters, -2 * SECOND_US, "ptwo")

    assert send(client, acquire("three")) == Busy(1_000)
    assert isinstance(send(client, acquire("two", waits=True)), Granted)


def test_a_fair_lock_passes_over_those_that_are_not_heard_of(client: redis.Redis) -> None:
    send(client, acquire("one"))
    for token in ("two", "three"):
        send(client, acquire(token, waits=True, fair=True))
    send(client, Release(keys=LOCK, token="one"))  # noqa: S106
    assert isinstance(send(client, acquire("three", waits=True, fair=True)), Busy)
    client.zadd(LOCK.seen, {"ptwo": 1})

    assert isinstance(send(client, acquire("three", waits=True, fair=True)), Granted)
    assert not client.exists(LOCK.waiters)


def test_a_fence_is_exact_to_the_last_digit(client: redis.Redis) -> None:
    client.set(LOCK.fence, 2**53 - 2)
    assert send(client, acquire("one")) == Granted(2**53 - 1)
    assert client.get(LOCK.fence) == b"%d" % (2**53 - 1)


@pytest.mark.parametrize("stored", [b"x", b"a|b|c", b"a|7|{}", b"a|7|\xff", b"a|7"])
def test_what_a_lock_does_not_store_is_nobodys(client: redis.Redis, stored: bytes) -> None:
    client.set(LOCK.lock, stored, px=1_000)
    assert isinstance(send(client, acquire("one")), Busy)
    with pytest.raises(UndecodableError):
        send(client, Look(keys=LOCK))
