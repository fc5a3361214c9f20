"""One run of a key at a time, and its end for whoever asks: the scripts, call by call."""

from collections.abc import Iterator
from typing import Final

import pytest
import redis
from tests.lua.sending import send
from tests.support.servers import ValkeyServer, wait_until

from toril.core.operation import Operation
from toril.toolkit.keys import Keys
from toril.toolkit.leases.claim import Busy, Granted
from toril.toolkit.once.operations.abandon import Abandon
from toril.toolkit.once.operations.begin import Begin, Ended
from toril.toolkit.once.operations.finish import Finish
from toril.toolkit.once.operations.forget import Forget
from toril.toolkit.once.operations.renew import Renew
from toril.toolkit.once.wire import RunKeys

LONG_MS: Final = 60_000
KEYS: Final = RunKeys(Keys("toril", "on"), "pay", "order:7")


@pytest.fixture
def client(every_server: ValkeyServer) -> Iterator[redis.Redis]:
    with every_server.client() as client:
        yield client


def begin(owner: str, lease_ms: int = LONG_MS) -> Begin:
    return Begin(keys=KEYS, owner=owner, lease_ms=lease_ms)


def renew(owner: str, lease_ms: int = LONG_MS) -> Renew:
    return Renew(keys=KEYS, owner=owner, lease_ms=lease_ms)


def finish(owner: str, value: bytes = b"7") -> Finish:
    return Finish(keys=KEYS, owner=owner, state="done", value=value, keep_ms=LONG_MS)


def fail(owner: str) -> Finish:
    return Finish(keys=KEYS, owner=owner, state="failed", value=b"{}", keep_ms=LONG_MS)


def let_end(client: redis.Redis) -> None:
    """Wait until the lease of the run that goes on is over."""
    wait_until(lambda: not client.exists(KEYS.run), "the lease ends")


def test_one_begins_and_others_hear_of_it(client: redis.Redis) -> None:
    assert send(client, begin("a")) == Granted(0)
    answer = send(client, begin("b"))

    assert isinstance(answer, Busy)
    assert LONG_MS - 5_000 < answer.for_ms <= LONG_MS


def test_who_has_begun_begins_again_after_a_lost_reply(client: redis.Redis) -> None:
    send(client, begin("a", lease_ms=5_000))

    assert send(client, begin("a")) == Granted(0)
    assert client.pttl(KEYS.run) > LONG_MS - 5_000


def test_the_result_is_for_whoever_asks(client: redis.Redis) -> None:
    send(client, begin("a"))

    assert send(client, finish("a", b'{"paid":true}'))
    assert send(client, begin("b")) == Ended(True, b'{"paid":true}')
    assert 0 < client.pttl(KEYS.run) <= LONG_MS


def test_a_failure_that_is_kept_is_for_whoever_asks(client: redis.Redis) -> None:
    send(client, begin("a"))

    assert send(client, fail("a"))
    assert send(client, begin("b")) == Ended(False, b"{}")


def test_an_end_that_arrives_twice_is_kept_once(client: redis.Redis) -> None:
    send(client, begin("a"))
    send(client, finish("a", b"1"))

    assert send(client, finish("a", b"2"))
    assert send(client, begin("b")) == Ended(True, b"1")


def test_a_failure_that_is_forgotten_lets_the_next_one_begin(client: redis.Redis) -> None:
    send(client, begin("a"))

    assert send(client, Abandon(keys=KEYS, owner="a"))
    assert send(client, begin("b")) == Granted(0)
    assert not send(client, Abandon(keys=KEYS, owner="a"))


def test_an_attempt_that_was_given_up_does_not_begin_late(client: redis.Redis) -> None:
    send(client, begin("a"))
    send(client, Abandon(keys=KEYS, owner="a", bar_ms=LONG_MS))
    send(client, Abandon(keys=KEYS, owner="b", bar_ms=LONG_MS))

    assert send(client, begin("a")) == Busy(0)
    assert send(client, begin("b")) == Busy(0)
    assert send(client, begin("c")) == Granted(0)
    assert 0 < client.pttl(KEYS.barred) <= LONG_MS


def test_a_run_without_a_sign_of_life_is_forgotten(client: redis.Redis) -> None:
    send(client, begin("a", lease_ms=1))
    let_end(client)

    assert send(client, begin("b")) == Granted(0)


@pytest.mark.parametrize(
    "late", [finish("a"), fail("a"), renew("a"), Abandon(keys=KEYS, owner="a")]
)
@pytest.mark.parametrize("next_end", ["nobody", "begun", "done"])
def test_who_comes_too_late_changes_nothing(
    client: redis.Redis, late: Operation[bool], next_end: str
) -> None:
    send(client, begin("a", lease_ms=1))
    let_end(client)
    if next_end != "nobody":
        send(client, begin("b"))
    if next_end == "done":
        send(client, finish("b", b"the other's"))
    before = client.hgetall(KEYS.run)

    assert send(client, late) is False
    assert client.hgetall(KEYS.run) == before


def test_a_sign_of_life_prolongs_the_lease(client: redis.Redis) -> None:
    send(client, begin("a", lease_ms=5_000))

    assert send(client, renew("a"))
    assert client.pttl(KEYS.run) > LONG_MS - 5_000


def test_no_lease_is_prolonged_after_the_end(client: redis.Redis) -> None:
    send(client, begin("a"))
    send(client, Finish(keys=KEYS, owner="a", state="done", value=b"1", keep_ms=5_000))

    assert not send(client, renew("a"))
    assert client.pttl(KEYS.run) <= 5_000


def test_an_end_is_forgotten_and_a_run_is_not(client: redis.Redis) -> None:
    forget = Forget(keys=KEYS)
    send(client, begin("a"))

    assert not send(client, forget)
    assert send(client, finish("a"))
    assert send(client, forget)
    assert not send(client, forget)
    assert send(client, begin("b")) == Granted(0)


@pytest.mark.parametrize("end", [finish("a"), fail("a"), Abandon(keys=KEYS, owner="a")])
def test_who_waits_is_told_once(client: redis.Redis, end: Operation[bool]) -> None:
    send(client, begin("a"))
    with client.pubsub() as listener:
        listener.subscribe(KEYS.channel)
        assert listener.get_message(timeout=5)
        send(client, end)
        send(client, end)
        client.publish(KEYS.channel, "no more")
        heard = [listener.get_message(timeout=5), listener.get_message(timeout=5)]

    assert [message["data"] for message in heard if message] == [b"", b"no more"]


def test_an_end_is_kept_when_memory_is_out() -> None:
    with ValkeyServer() as server, server.client() as client:
        send(client, begin("a"))
        client.config_set("maxmemory", 1)

        assert send(client, renew("a"))
        assert send(client, finish("a", b"paid"))
        assert send(client, begin("b")) == Ended(True, b"paid")
        assert not send(client, Abandon(keys=KEYS, owner="c", bar_ms=LONG_MS))


def test_a_key_of_another_kind_is_left_as_it_is(client: redis.Redis) -> None:
    client.set(KEYS.run, "somebody's")

    for operation in (begin("a"), renew("a"), finish("a"), Abandon(keys=KEYS, owner="a")):
        with pytest.raises(redis.ResponseError):
            send(client, operation)

    assert client.get(KEYS.run) == b"somebody's"


def test_keys_of_different_words_differ() -> None:
    pairs = [("a", "b:c"), ("a:b", "c"), ("a", "b%3Ac"), ("a%3Ab", "c")]

    assert len({RunKeys(Keys("toril", "on"), *pair).run for pair in pairs}) == len(pairs)
