"""What is run for a key is run once, and everybody gets the result."""  # generated from _async/test_once.py by tools/generate_sync.py: edit that file

import pytest
import redis
from tests.support.event_log import EventLog
from tests.support.proxy import Proxy
from tests.support.servers import ValkeyServer, wait_until
from tests.support.strangers import Stranger

from toril.connection import Connection
from toril.core.errors import BadInputError, ClosedError, UnavailableError, UndecodableError
from toril.core.script import Script
from toril.telemetry.toolkit_once import OnceRan, OnceRefused, OnceReplayed
from toril.toolkit import (
    Once,
    InProgressError,
    LeaseLostError,
    RecursiveRunError,
    RunFailedError,
)
from toril.toolkit.once.operations.abandon import ABANDON
from toril.toolkit.once.operations.begin import BEGIN
from toril.toolkit.once.operations.finish import FINISH

KEY = "toril:on:{pay:order:7}"


class Work:
    """Counts its runs, and does what a test asks for."""

    def __init__(self, *ends: object) -> None:
        self.runs = 0
        self._ends = ends

    def __call__(self) -> object:
        end = self._ends[min(self.runs, len(self._ends) - 1)]
        self.runs += 1
        if isinstance(end, Exception):
            raise end
        return end


def test_the_second_caller_gets_the_result_of_the_first(every_server: ValkeyServer) -> None:
    log = EventLog()
    work = Work({"paid": True, "items": [1, 2]}, "another")
    once = Once("pay", every_server.url, ttl=60, emitter=log.emitter)

    results = [once.run("order:7", work) for _ in range(3)]

    assert results == [{"paid": True, "items": [1, 2]}] * 3
    assert work.runs == 1
    assert log.of(OnceRan) == [OnceRan(subject="pay", outcome="done")]
    assert log.of(OnceReplayed) == [OnceReplayed(subject="pay")] * 2
    once.close()


def test_keys_names_and_prefixes_are_run_each(redis_url: str) -> None:
    work = Work(1)
    with Connection(redis_url) as connection:
        pay = Once("pay", connection, ttl=60)
        pay.run("a", work)
        pay.run("b", work)
        Once("pay", connection, ttl=60, prefix="mine").run("a", work)
        Once("ship", connection, ttl=60).run("a", work)

    assert work.runs == 4


@pytest.mark.parametrize("result", [None, False, 0, "", [], {}, 1.5, "ä", {"a": [None]}])
def test_every_json_value_is_a_result(redis_url: str, result: object) -> None:
    once = Once("pay", redis_url, ttl=60)
    work = Work(result)

    assert once.run("order:7", work) == result
    assert once.run("order:7", work) == result
    assert work.runs == 1
    once.close()


def test_who_ran_it_gets_the_result_as_json_gives_it_back(redis_url: str) -> None:
    once = Once("pay", redis_url, ttl=60)
    work = Work((1, (2, 3)))

    assert once.run("order:7", work) == [1, [2, 3]]
    once.close()


def test_a_failure_is_raised_where_it_happened_and_forgotten(redis_url: str) -> None:
    once = Once("pay", redis_url, ttl=60)
    work = Work(KeyError("card"), "paid")

    with pytest.raises(KeyError, match="card"):
        once.run("order:7", work)
    assert once.run("order:7", work) == "paid"
    assert work.runs == 2
    once.close()


def test_a_failure_that_is_kept_is_told_to_all_who_come(redis_url: str) -> None:
    log = EventLog()
    once = Once("pay", redis_url, ttl=60, on_failure="store", emitter=log.emitter)
    work = Work(KeyError("card"))

    with pytest.raises(KeyError, match="card"):
        once.run("order:7", work)
    with pytest.raises(RunFailedError, match="'order:7' of 'pay' failed: KeyError: 'card'") as told:
        once.run("order:7", work)

    assert (told.value.kind, told.value.reason) == ("KeyError", "'card'")
    assert work.runs == 1
    assert log.of(OnceRan) == [OnceRan(subject="pay", outcome="failed")]
    once.close()


@pytest.mark.parametrize("on_failure", ["forget", "store"])
@pytest.mark.parametrize(
    ("result", "problem"),
    [({1, 2}, "result: "), ("x" * 200, "exceeds the limit"), (float("nan"), "result: ")],
)
def test_what_has_run_is_not_run_again_though_its_result_cannot_be_kept(
    redis_url: str, on_failure: str, result: object, problem: str
) -> None:
    once = Once("pay", redis_url, ttl=60, on_failure=on_failure, max_result_bytes=100)  # type: ignore[arg-type]
    work = Work(result, "fine")

    with pytest.raises(BadInputError, match=problem):
        once.run("order:7", work)
    with pytest.raises(RunFailedError, match=problem):
        once.run("order:7", work)
    assert work.runs == 1
    once.close()


def test_a_result_is_kept_for_as_long_as_was_said(
    redis_url: str, redis_client: redis.Redis
) -> None:
    once = Once("pay", redis_url, ttl=60)
    work = Work(1)
    once.run("order:7", work)

    assert 55_000 < redis_client.pttl(KEY) <= 60_000
    redis_client.delete(KEY)
    once.run("order:7", work)
    assert work.runs == 2
    once.close()


def test_a_key_is_forgotten_on_request(redis_url: str) -> None:
    once = Once("pay", redis_url, ttl=60, on_failure="store")
    work = Work(ValueError("no"), "paid")

    assert once.forget("order:7") is False
    with pytest.raises(ValueError, match="no"):
        once.run("order:7", work)
    assert once.forget("order:7") is True
    assert once.run("order:7", work) == "paid"
    once.close()


def test_whoever_does_not_want_to_wait_is_told_that_it_is_run(redis_url: str) -> None:
    log = EventLog()
    once = Once("pay", redis_url, ttl=60)
    others = Once("pay", redis_url, ttl=60, on_running="raise", emitter=log.emitter)
    hurried = Once("pay", redis_url, ttl=60, wait=0.05)
    work = Work(1)

    def outer() -> str:
        with pytest.raises(InProgressError, match="'order:7' of 'pay' is being run"):
            Stranger(others).run("order:7", work)
        with pytest.raises(InProgressError):
            Stranger(hurried).run("order:7", work)
        assert once.forget("order:7") is False
        return "paid"

    assert once.run("order:7", outer) == "paid"
    assert work.runs == 0
    assert log.of(OnceRefused) == [OnceRefused(subject="pay")]
    for one in (once, others, hurried):
        one.close()


@pytest.mark.parametrize("on_running", ["wait", "raise"])
def test_a_run_that_asks_for_itself_is_told_so(redis_url: str, on_running: str) -> None:
    with Connection(redis_url) as connection:
        once = Once("pay", connection, ttl=60, on_running=on_running)  # type: ignore[arg-type]
        same = Once("pay", connection, ttl=60)

        def again() -> object:
            return same.run("order:7", Work("inner"))

        def others() -> object:
            return same.run("order:8", again)

        with pytest.raises(
            RecursiveRunError, match="'order:7' of 'pay' is being run by the caller"
        ):
            once.run("order:7", again)
        with pytest.raises(RecursiveRunError):
            once.run("order:7", others)
        assert once.run("order:8", again) == "inner"


def test_a_run_outlives_its_lease_while_its_process_does(redis_url: str) -> None:
    once = Once("pay", redis_url, ttl=60, lease=0.15)
    others = Once("pay", redis_url, ttl=60, wait=0.5)

    def slow() -> str:
        with pytest.raises(InProgressError):
            Stranger(others).run("order:7", Work("twice"))
        return "paid"

    assert once.run("order:7", slow) == "paid"
    once.close()
    others.close()


def test_the_end_of_a_run_whose_lease_was_lost_does_not_count(
    redis_url: str, redis_client: redis.Redis
) -> None:
    once = Once("pay", redis_url, ttl=60)
    others = Once("pay", redis_url, ttl=60)

    def late() -> str:
        redis_client.delete(KEY)
        theirs = Stranger(others).run("order:7", Work("the other's"))
        assert theirs == "the other's"
        return "late"

    with pytest.raises(LeaseLostError):
        once.run("order:7", late)
    assert once.run("order:7", Work("another")) == "the other's"
    once.close()
    others.close()


@pytest.mark.parametrize("script", [BEGIN, FINISH])
def test_a_lost_reply_neither_runs_it_twice_nor_loses_its_end(
    proxy: Proxy, script: Script
) -> None:
    once = Once("pay", proxy.url, ttl=60)
    once.run("another", Work(1))
    work = Work(*range(1, 6), "twice")
    for place in range(1, 6):
        proxy.cut_after(script.sha.encode())
        assert once.run(f"order:{place}", work) == place

    assert proxy.cuts == 5
    assert [once.run(f"order:{place}", work) for place in range(1, 6)] == [1, 2, 3, 4, 5]
    assert work.runs == 5
    once.close()


def test_a_lost_reply_to_forgetting_leaves_nothing_behind(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    once = Once("pay", proxy.url, ttl=60)
    once.run("another", Work(1))
    proxy.cut_after(ABANDON.sha.encode())

    with pytest.raises(ValueError, match="no"):
        once.run("order:7", Work(ValueError("no")))

    assert proxy.cuts == 1
    assert not redis_client.exists(KEY)
    once.close()


def test_an_end_waits_for_a_server_that_is_away_for_a_moment(proxy: Proxy) -> None:
    once = Once("pay", proxy.url, ttl=60, timeout=0.2)

    def cut_off() -> str:
        proxy.drop_all()
        proxy.cut_after(FINISH.sha.encode())
        return "paid"

    assert once.run("order:7", cut_off) == "paid"
    assert once.run("order:7", Work("twice")) == "paid"
    once.close()


def test_an_end_waits_for_a_server_no_longer_than_nobody_else_can_begin(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    once = Once("pay", proxy.url, ttl=60, timeout=0.1, lease=0.4)

    def cut_off() -> str:
        proxy.silence()
        return "paid"

    with pytest.raises((UnavailableError, LeaseLostError)):
        once.run("order:7", cut_off)
    wait_until(lambda: not redis_client.exists(KEY), "the lease ends")
    proxy.speak()
    once.close()


@pytest.mark.parametrize("value", [b"", b"{", b"\xff", b"[1] 2"])
def test_what_others_have_written_is_an_error_and_not_a_result(
    redis_url: str, redis_client: redis.Redis, value: bytes
) -> None:
    once = Once("pay", redis_url, ttl=60)
    work = Work(1)
    for state in ("done", "failed"):
        redis_client.hset(KEY, mapping={"owner": "x", "state": state, "value": value})
        with pytest.raises(UndecodableError):
            once.run("order:7", work)

    assert work.runs == 0
    once.close()


def test_a_failure_of_another_shape_is_an_error_too(
    redis_url: str, redis_client: redis.Redis
) -> None:
    once = Once("pay", redis_url, ttl=60)
    redis_client.hset(KEY, mapping={"owner": "x", "state": "failed", "value": "[1]"})

    with pytest.raises(UndecodableError, match="it has no kind and message"):
        once.run("order:7", Work(1))
    once.close()


def test_a_function_is_run_once_for_its_arguments(redis_url: str) -> None:
    once = Once("pay", redis_url, ttl=60)
    charged = []

    @once.per_call("order:{order_id}:{currency}")
    def charge(order_id: int, amount: int, currency: str = "EUR") -> int:
        """Charge a card."""
        charged.append((order_id, currency))
        return amount

    assert charge(7, 100) == 100
    assert charge(7, amount=200) == 100
    assert charge(order_id=8, amount=300, currency="USD") == 300
    assert charged == [(7, "EUR"), (8, "USD")]
    assert charge.__name__ == "charge"
    assert charge.__doc__ == "Charge a card."
    once.close()


@pytest.mark.parametrize("key", ["order:{oder_id}", "order:{0}", "order:{", "{}", 7])
def test_a_key_that_fits_no_parameter_is_refused(key: str) -> None:
    once = Once("pay", "redis://127.0.0.1:1", ttl=60)

    with pytest.raises(BadInputError, match="key: "):

        @once.per_call(key)
        def charge(order_id: int) -> int:
            return order_id

    once.close()


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"ttl": 0}, "ttl"),
        ({"ttl": -1}, "ttl"),
        ({"ttl": "1h"}, "ttl"),
        ({"ttl": True}, "ttl"),
        ({"ttl": float("inf")}, "ttl"),
        ({"ttl": 401 * 86_400}, "ttl"),
        ({"lease": 0.01}, "lease"),
        ({"lease": 90_000}, "lease"),
        ({"wait": -1}, "wait"),
        ({"on_failure": "keep"}, "on_failure"),
        ({"on_running": "skip"}, "on_running"),
        ({"max_result_bytes": 0}, "max_result_bytes"),
        ({"max_result_bytes": 2**30}, "max_result_bytes"),
        ({"timeout": 0}, "timeout"),
        ({"prefix": "a{b"}, "prefix"),
        ({"leases": 5}, "leases"),
    ],
)
def test_an_option_that_makes_no_sense_is_named(
    options: dict[str, object], field: str
) -> None:
    with pytest.raises(BadInputError, match=f"^{field}: "):
        Once("pay", "redis://127.0.0.1:1", **({"ttl": 60} | options))  # type: ignore[arg-type]


@pytest.mark.parametrize("key", ["", 7, None, "k" * 513, "\ud800"])
def test_a_key_that_makes_no_sense_is_refused_before_anything_is_sent(key: object) -> None:
    once = Once("pay", "redis://127.0.0.1:1", ttl=60)

    with pytest.raises(BadInputError, match=r"^key: "):
        once.run(key, Work(1))  # type: ignore[arg-type]
    once.close()


def test_after_closing_nothing_is_run(redis_url: str) -> None:
    once = Once("pay", redis_url, ttl=60)
    work = Work(1)
    once.close()

    with pytest.raises(ClosedError):
        once.run("order:7", work)
    assert work.runs == 0
