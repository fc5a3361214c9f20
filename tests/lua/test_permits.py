"""Who is let in, and who comes next: the scripts of permits, one call after the other."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
import redis
from tests.lua.sending import send
from tests.support.servers import ValkeyServer, wait_until

from toril.toolkit.keys import Keys
from toril.toolkit.leases.claim import Busy, Granted
from toril.toolkit.permits.operations.give_back import GiveBack
from toril.toolkit.permits.operations.look import Look, Occupancy
from toril.toolkit.permits.operations.renew import Renew
from toril.toolkit.permits.operations.take import Take
from toril.toolkit.permits.wire import UNLIMITED, Order, Room

LONG_MS: Final = 60_000
BLINK_MS: Final = 1

THREE: Final = Room(Keys("toril", "sm"), "press", 3, Order.ARRIVAL)


class Door:
    """Sends operations about one room by hand; tokens are words: readers `r…`, writers `w…`."""

    def __init__(self, client: redis.Redis, room: Room) -> None:
        self.client: Final = client
        self.room: Final = room

    def take(self, token: str, *, ttl_ms: int = LONG_MS) -> bool:
        """Try, without waiting."""
        return isinstance(self.ask(token, ttl_ms), Granted)

    def wait(self, token: str, *, patience_ms: int = LONG_MS) -> bool:
        """Try, and stay in the line."""
        return isinstance(self.ask(token, LONG_MS, patience_ms), Granted)

    def ask(self, token: str, ttl_ms: int, patience_ms: int = 0) -> object:
        return send(
            self.client,
            Take(room=self.room, token=token, ttl_ms=ttl_ms, patience_ms=patience_ms),
        )

    def bar(self, token: str, bar_ms: int) -> None:
        send(self.client, GiveBack(room=self.room, token=token, bar_ms=bar_ms))

    def give_back(self, token: str) -> bool:
        return send(self.client, GiveBack(room=self.room, token=token)) is True

    def renew(self, token: str, ttl_ms: int = LONG_MS) -> bool:
        return send(self.client, Renew(room=self.room, token=token, ttl_ms=ttl_ms)) is True

    def look(self) -> object:
        return send(self.client, Look(room=self.room))

    def woken_by(self, act: Callable[[], object]) -> list[str]:
        """Whom a message names that is published meanwhile."""
        with self.client.pubsub() as listener:
            listener.subscribe(self.room.channel)
            assert listener.get_message(timeout=5)
            act()
            self.client.publish(self.room.channel, "end")
            words: list[str] = []
            while message := listener.get_message(timeout=5):
                if message["data"] == b"end":
                    return words
                words.append(message["data"].decode())
        pytest.fail("the end of the messages was not heard")


@pytest.fixture
def client(every_server: ValkeyServer) -> Iterator[redis.Redis]:
    with every_server.client() as client:
        yield client


@pytest.fixture
def press(client: redis.Redis) -> Door:
    return Door(client, THREE)


def door(client: redis.Redis, order: Order) -> Door:
    return Door(client, Room(Keys("toril", "rw"), "page", UNLIMITED, order))


def test_as_many_are_let_in_as_may_share(press: Door) -> None:
    assert [press.take(token) for token in ("ra", "rb", "rc", "rd")] == [True, True, True, False]
    assert press.look() == Occupancy(3, 0, is_writing=False)


def test_whoever_is_refused_hears_when_the_first_lease_ends(press: Door) -> None:
    for token in ("ra", "rb", "rc"):
        press.take(token)

    answer = press.ask("rd", LONG_MS)

    assert isinstance(answer, Busy)
    assert LONG_MS - 5_000 < answer.for_ms <= LONG_MS


def test_whoever_is_in_is_in_however_often_it_asks(press: Door) -> None:
    first, again = press.ask("ra", LONG_MS), press.ask("ra", LONG_MS)

    assert isinstance(first, Granted)
    assert isinstance(again, Granted)
    assert again.fence > first.fence
    assert press.look() == Occupancy(1, 0, is_writing=False)


def test_a_place_is_free_when_its_lease_is_over(press: Door) -> None:
    press.take("ra")
    press.take("rb")
    press.take("rc", ttl_ms=BLINK_MS)

    wait_until(lambda: press.take("rd"), "a lease ends")

    assert not press.renew("rc")
    assert not press.give_back("rc")
    assert press.look() == Occupancy(3, 0, is_writing=False)


def test_a_lease_is_prolonged_and_never_cut(press: Door) -> None:
    press.take("ra", ttl_ms=LONG_MS)

    assert press.renew("ra", BLINK_MS)
    lease_end: Any = press.client.zscore(THREE.holders, "ra")
    left_us = lease_end - server_us(press.client)

    assert left_us > (LONG_MS - 5_000) * 1_000


def test_a_place_that_is_given_back_wakes_who_came_first(press: Door) -> None:
    for token in ("ra", "rb", "rc"):
        press.take(token)
    for token in ("rd", "re", "rf"):
        assert not press.wait(token)

    assert press.woken_by(lambda: press.give_back("ra")) == ["rd"]
    assert press.woken_by(lambda: press.give_back("rb")) == ["rd", "re"]
    assert not press.wait("rf")
    assert not press.take("rg")
    assert press.wait("re")
    assert press.wait("rd")


def test_whoever_leaves_the_line_lets_the_next_one_in(press: Door) -> None:
    for token in ("ra", "rb", "rc"):
        press.take(token)
    press.wait("rd")
    press.wait("re")
    press.give_back("ra")

    assert press.woken_by(lambda: press.give_back("rd")) == ["re"]
    assert press.look() == Occupancy(2, 1, is_writing=False)
    assert press.wait("re")


def test_a_waiter_without_a_sign_of_life_is_passed_over(press: Door) -> None:
    for token in ("ra", "rb", "rc"):
        press.take(token)
    press.wait("rdead", patience_ms=BLINK_MS)
    press.wait("re")
    press.give_back("ra")

    wait_until(lambda: press.wait("re"), "the dead one is passed over")


def test_a_sign_of_life_keeps_the_place_in_the_line(press: Door) -> None:
    for token in ("ra", "rb", "rc"):
        press.take(token)
    press.wait("rd")
    press.wait("re")
    press.wait("rd")
    press.give_back("ra")

    assert not press.wait("re")
    assert press.wait("rd")


def test_without_an_order_whoever_asks_gets_a_free_place(client: redis.Redis) -> None:
    free = Door(client, Room(Keys("toril", "sm"), "press", 1, Order.ANY))
    free.take("ra")
    free.wait("rb")
    free.give_back("ra")

    assert free.take("rc")


def test_fewer_places_than_are_taken_let_nobody_in(press: Door) -> None:
    for token in ("ra", "rb", "rc"):
        press.take(token)
    narrow = Door(press.client, Room(THREE.keys, THREE.name, 1, Order.ARRIVAL))
    narrow.wait("rd")

    assert narrow.woken_by(lambda: narrow.give_back("ra")) == []
    narrow.give_back("rb")
    assert not narrow.wait("rd")
    narrow.give_back("rc")
    assert narrow.wait("rd")


@pytest.mark.parametrize("order", [Order.ARRIVAL, Order.WRITERS, Order.READERS])
def test_many_read_and_one_writes(client: redis.Redis, order: Order) -> None:
    page = door(client, order)

    assert page.take("ra")
    assert page.take("rb")
    assert not page.take("wa")
    page.give_back("ra")
    page.give_back("rb")
    assert page.take("wa")
    assert page.look() == Occupancy(1, 0, is_writing=True)
    assert not page.take("wb")
    assert not page.take("rc")


@pytest.mark.parametrize(
    ("order", "lets_in"), [(Order.ARRIVAL, False), (Order.WRITERS, False), (Order.READERS, True)]
)
def test_a_writer_who_waits_keeps_readers_out(
    client: redis.Redis, order: Order, lets_in: bool
) -> None:
    page = door(client, order)
    page.take("ra")
    page.wait("wa")

    assert page.take("rb") is lets_in


@pytest.mark.parametrize(
    ("order", "woken"),
    [
        (Order.ARRIVAL, ["ra", "rb"]),
        (Order.WRITERS, ["wa"]),
        (Order.READERS, ["ra", "rb", "rc"]),
    ],
)
def test_after_a_writer_come_those_whose_turn_it_is(
    client: redis.Redis, order: Order, woken: list[str]
) -> None:
    page = door(client, order)
    page.take("w0")
    for token in ("ra", "rb", "wa", "rc"):
        page.wait(token)

    assert page.woken_by(lambda: page.give_back("w0")) == woken
    assert [page.wait(token) for token in woken] == [True] * len(woken)
    assert {token for token in ("ra", "rb", "wa", "rc") if page.wait(token)} == set(woken)


def test_after_the_last_reader_comes_the_writer(client: redis.Redis) -> None:
    page = door(client, Order.ARRIVAL)
    page.take("ra")
    page.take("rb")
    page.wait("wa")
    page.wait("rc")

    assert page.woken_by(lambda: page.give_back("ra")) == []
    assert page.woken_by(lambda: page.give_back("rb")) == ["wa"]
    assert not page.wait("rc")
    assert page.wait("wa")


def test_whoever_is_barred_is_let_in_no_more(press: Door) -> None:
    press.wait("ra")
    press.bar("ra", LONG_MS)

    assert press.ask("ra", LONG_MS, LONG_MS) == Busy(1_000)
    assert press.look() == Occupancy(0, 0, is_writing=False)


def test_nobody_is_barred_for_ever(press: Door) -> None:
    press.bar("ra", BLINK_MS)

    def bar_another() -> bool:
        press.bar("rb", LONG_MS)
        return press.client.zrange(THREE.barred, 0, -1) == [b"rb"]

    wait_until(bar_another, "the first one is forgotten")


def test_whoever_waits_for_its_turn_alone_looks_again_in_a_while(press: Door) -> None:
    """There is a place, and the one whose turn it is says nothing."""
    for token in ("ra", "rb", "rc"):
        press.take(token)
    press.wait("rd")
    press.wait("re")
    press.wait("rf")
    for token in ("ra", "rb", "rc"):
        press.give_back(token)

    assert press.ask("rg", LONG_MS) == Busy(1_000)


def test_leases_are_prolonged_and_places_given_back_when_memory_is_out() -> None:
    with ValkeyServer() as server, server.client() as client:
        press = Door(client, THREE)
        press.take("ra", ttl_ms=5_000)
        press.take("rb", ttl_ms=LONG_MS)
        press.client.config_set("maxmemory", 1)

        assert press.renew("ra")
        assert press.give_back("rb")
        press.bar("rc", LONG_MS)
        assert press.look() == Occupancy(1, 0, is_writing=False)


def test_fences_only_grow_even_when_all_is_lost(press: Door) -> None:
    fences = []
    for round_ in range(20):
        answer = press.ask("ra", LONG_MS)
        assert isinstance(answer, Granted)
        fences.append(answer.fence)
        if round_ % 5 == 0:
            press.client.flushall()

    assert sorted(set(fences)) == fences


def test_every_key_ends_some_day(press: Door) -> None:
    for token in ("ra", "rb", "rc"):
        press.take(token)
    press.wait("rd")
    page = Door(press.client, Room(Keys("toril", "rw"), "page", UNLIMITED, Order.ARRIVAL))
    page.take("ra")
    page.wait("wa")
    page.wait("rb")

    keys: Any = press.client.keys()
    kept = {key.decode(): press.client.pttl(key) for key in keys}

    assert {THREE.holders, THREE.fence, THREE.sharing, page.room.alone} <= set(kept)
    assert min(kept.values()) > 0


@pytest.mark.parametrize("part", ["holders", "fence", "sharing", "alone", "alive", "barred"])
def test_nothing_is_changed_where_a_key_is_of_another_kind(press: Door, part: str) -> None:
    press.take("ra", ttl_ms=BLINK_MS)
    press.wait("rb")
    press.client.delete(getattr(THREE, part))
    press.client.hset(getattr(THREE, part), "a", "b")
    before = snapshot(press.client)

    with pytest.raises(redis.ResponseError):
        press.take("rc")

    assert snapshot(press.client) == before


def server_us(client: redis.Redis) -> int:
    seconds, microseconds = client.time()
    return seconds * 1_000_000 + microseconds


def snapshot(client: redis.Redis) -> dict[bytes, object]:
    keys: Any = client.keys()
    return {key: client.dump(key) for key in keys}
