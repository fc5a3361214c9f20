"""A lock is held by the word of a majority, whatever a minority does."""  # generated from _async/test_redlock.py by tools/generate_sync.py: edit that file

from time import monotonic

import pytest
from tests.integration.toolkit.redlock.conftest import Party
from tests.support.event_log import EventLog
from tests.support.proxy_rules import Fault, Rule
from tests.support.servers import ValkeyServer, wait_until

from toril.connection import Connection
from toril.core.errors import BadInputError
from toril.core.script import Script
from toril.telemetry.toolkit_leases import LeaseGone, LeaseRenewed
from toril.telemetry.toolkit_redlock import QuorumMissed
from toril.toolkit import Redlock, LeaseLostError, LockTimeoutError, QuorumImpossibleError
from toril.toolkit.locks.operations.acquire import ACQUIRE
from toril.toolkit.locks.operations.give_up import GIVE_UP
from toril.toolkit.locks.operations.release import RELEASE
from toril.toolkit.locks.operations.renew import RENEW

KEY = "toril:lk:{a}"
TTL = 1.0


def held_on(servers: list[ValkeyServer]) -> int:
    """By how many servers somebody is said to hold it."""
    held = 0
    for server in servers:
        with server.client() as client:
            held += int(client.exists(KEY))
    return held


def test_one_lease_at_a_time_holds_it(party: Party) -> None:
    lock, other = Redlock("a", party.urls, ttl=TTL), Redlock("a", party.urls, ttl=TTL)

    lease = lock.acquire(5)
    assert lease is not None
    lease.check()
    assert held_on(party.servers) == 5
    assert other.acquire(0) is None
    assert lock.acquire(0) is None
    assert held_on(party.servers) == 5
    assert lease.release() is True
    assert held_on(party.servers) == 0
    again = other.acquire(5)
    assert again is not None
    assert again.fence > lease.fence

    assert again.release() is True
    assert again.release() is False
    lock.close()
    other.close()


def test_a_block_holds_it_while_it_runs(party: Party) -> None:
    lock = Redlock("a", party.urls[:3], ttl=TTL)
    with lock.hold(5) as lease:
        lease.check()
        with pytest.raises(LockTimeoutError):
            with lock.hold(0.1):
                pytest.fail("it is held by another")
        lease.check()

    assert held_on(party.servers) == 0
    lock.close()


def test_it_outlives_its_ttl_while_its_holder_does(party: Party) -> None:
    log = EventLog()
    lock = Redlock("a", party.urls, ttl=1.0, emitter=log.emitter)
    other = Redlock("a", party.urls, ttl=1.0)
    with lock.hold(5) as lease:
        assert other.acquire(1.5) is None
        lease.check()

    assert len(log.of(LeaseRenewed)) >= 2
    lock.close()
    other.close()


@pytest.mark.parametrize("silent", [1, 2])
def test_a_silent_minority_costs_a_moment(party: Party, silent: int) -> None:
    lock = Redlock("a", party.urls, ttl=TTL)
    with lock.hold(5):
        pass
    for proxy in party.proxies[:silent]:
        proxy.hold()
    spans = []
    for _ in range(10):
        began = monotonic()
        lease = lock.acquire(5)
        spans.append(monotonic() - began)
        assert lease is not None
        lease.release()

    assert sorted(spans)[5] < 0.15, spans
    for proxy in party.proxies:
        proxy.speak()
    lock.close()


def test_a_silent_majority_grants_nothing_in_time(party: Party) -> None:
    log = EventLog()
    lock = Redlock("a", party.urls, ttl=TTL, emitter=log.emitter)
    with lock.hold(5):
        pass
    for proxy in party.proxies[:3]:
        proxy.hold()

    began = monotonic()
    with pytest.raises(LockTimeoutError):
        with lock.hold(0.5):
            pytest.fail("two of five are no majority")

    assert 0.45 < monotonic() - began < 1
    assert held_on(party.servers[3:]) == 0
    missed = log.of(QuorumMissed)
    assert {(one.subject, one.needed) for one in missed} == {("a", 3)}
    assert max(one.granted for one in missed) <= 2
    assert min(len(one.problems) for one in missed) >= 1
    for proxy in party.proxies:
        proxy.speak()
    lock.close()


def test_that_the_same_servers_are_missing_is_told_once(party: Party) -> None:
    log = EventLog()
    nobody = ["redis://127.0.0.1:1", "redis://127.0.0.1:2"]
    lock = Redlock("a", [*party.urls[:1], *nobody], timeout=0.1, emitter=log.emitter)

    for _ in range(4):
        assert lock.acquire(0) is None

    assert 1 <= len(log.of(QuorumMissed)) < 4
    lock.close()


def test_a_lease_is_lost_when_a_majority_falls_silent(party: Party) -> None:
    log = EventLog()
    lock = Redlock("a", party.urls, ttl=0.4, emitter=log.emitter)
    lease = lock.acquire(5)
    assert lease is not None
    began = monotonic()
    for proxy in party.proxies[:3]:
        proxy.hold()

    assert lease.lost.wait(5)
    assert monotonic() - began < 0.6
    with pytest.raises(LeaseLostError):
        lease.check()
    assert [event.subject for event in log.of(LeaseGone)] == ["a"]
    for proxy in party.proxies:
        proxy.speak()
    lock.close()


def test_a_minority_that_has_forgotten_it_is_of_no_matter(party: Party) -> None:
    lock = Redlock("a", party.urls, ttl=TTL)
    lease = lock.acquire(5)
    assert lease is not None
    for server in party.servers[:2]:
        with server.client() as client:
            client.flushall()

    lease.extend(TTL)
    lease.check()
    with party.servers[2].client() as client:
        client.flushall()
    with pytest.raises(LeaseLostError):
        lease.extend(TTL)
    lock.close()


@pytest.mark.parametrize("script", [ACQUIRE, RENEW, RELEASE])
def test_a_lost_reply_of_each_server_leaves_nothing_behind(
    party: Party, script: Script
) -> None:
    lock = Redlock("a", party.urls[:3], ttl=TTL, timeout=1)
    with lock.hold(5) as lease:
        lease.extend(TTL)
    for proxy in party.proxies[:3]:
        proxy.cut_after(script.sha.encode())
    with lock.hold(5) as lease:
        lease.extend(TTL)
    for proxy in party.proxies[:3]:
        assert proxy.cuts == 1

    wait_until(lambda: not held_on(party.servers), "nobody holds it", TTL + 0.5)
    lock.close()


def test_fences_grow_whichever_servers_grant_them(party: Party) -> None:
    """Each time another majority votes; what was granted before is known to one of it."""
    fences = []
    for round_ in range(10):
        order = party.urls[round_ % 5 :] + party.urls[: round_ % 5]
        lock = Redlock("a", order[:3], ttl=TTL)
        with lock.hold(5) as lease:
            fences.append(lease.fence)
        lock.close()

    assert sorted(set(fences)) == fences


def test_connections_that_are_shared_stay_open(party: Party) -> None:
    with (
        Connection(party.urls[0]) as one,
        Connection(party.urls[1]) as two,
        Connection(party.urls[2]) as three,
    ):
        for _ in range(2):
            lock = Redlock("a", [one, two, three], ttl=TTL)
            with lock.hold(5):
                pass
            lock.close()


@pytest.mark.parametrize("count", [0, 1, 2, 4, 6, 8])
def test_a_number_of_servers_that_is_no_use_is_refused(count: int) -> None:
    with pytest.raises(BadInputError, match="must be 3, 5 or 7"):
        Redlock("a", [f"redis://127.0.0.1:{port}" for port in range(1, count + 1)])


@pytest.mark.parametrize(
    ("targets", "problem"),
    [
        ("redis://a", "pass a list"),
        (["redis://a", "redis://b", "redis://a"], "named twice"),
        (["redis://a", "redis://b", 7], "int"),
    ],
)
def test_servers_that_make_no_sense_are_refused(targets: object, problem: str) -> None:
    with pytest.raises(BadInputError, match=problem):
        Redlock("a", targets)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"ttl": 0.01}, "ttl"),
        ({"ttl": 10, "max_ttl": 9}, "max_ttl"),
        ({"max_ttl": 90_000}, "max_ttl"),
        ({"timeout": 0}, "timeout"),
        ({"wait": -1}, "wait"),
        ({"label": 7}, "label"),
        ({"replicas": 1}, "replicas"),
        ({"fair": True}, "fair"),
    ],
)
def test_an_option_that_makes_no_sense_is_named(
    options: dict[str, object], field: str
) -> None:
    with pytest.raises(BadInputError, match=rf"^{field}: "):
        Redlock("a", ["redis://a", "redis://b", "redis://c"], **options)  # type: ignore[arg-type]


def test_one_server_under_several_names_is_no_majority(party: Party) -> None:
    port = party.servers[0].port
    names = [f"redis://{name}:{port}" for name in ("127.0.0.1", "localhost")]
    lock = Redlock("a", [*names, party.urls[0]], ttl=TTL)

    with pytest.raises(QuorumImpossibleError, match="is the same server as") as caught:
        lock.acquire(5)

    problems = [str(problem) for problem in caught.value.problems.values()]
    assert sum("is the same server as" in problem for problem in problems) == 2
    assert held_on(party.servers) == 0
    lock.close()


def test_replicas_have_no_vote(party: Party) -> None:
    with ValkeyServer() as one, ValkeyServer() as two:
        for replica in (one, two):
            with replica.client() as client:
                client.replicaof("127.0.0.1", party.servers[0].port)
        lock = Redlock("a", [party.urls[0], one.url, two.url], ttl=TTL)
        with pytest.raises(QuorumImpossibleError, match="is a replica"):
            lock.acquire(5)
        lock.close()


def test_wrong_passwords_are_told_and_not_waited_for(party: Party) -> None:
    wrong = [url.replace("redis://", "redis://nobody:wrong@") for url in party.urls]
    lock = Redlock("a", [*party.urls[:1], *wrong[1:3]], ttl=TTL)

    with pytest.raises(QuorumImpossibleError) as caught:
        lock.acquire()

    assert len(caught.value.problems) >= 2
    assert "wrong" not in str(caught.value)
    lock.close()


def test_a_minority_that_is_not_what_it_must_be_is_of_no_matter(party: Party) -> None:
    wrong = party.urls[4].replace("redis://", "redis://nobody:wrong@")
    lock = Redlock("a", [*party.urls[:4], wrong], ttl=TTL)

    with lock.hold(5) as lease:
        lease.check()
    lock.close()


def test_what_was_given_up_and_is_heard_late_ends_no_later_lease(party: Party) -> None:
    silent, _, late = party.proxies[:3]
    lock = Redlock("a", party.urls[:3], ttl=2)
    with lock.hold(5):
        pass
    silent.hold()
    with party.servers[1].client() as client:
        client.set(KEY, "another|1|{}", px=300)
    rule = late.add_rule(Rule(GIVE_UP.sha.encode(), Fault.DELAY, times=1, delay_s=0.6))

    lease = lock.acquire(5)
    assert lease is not None
    assert rule.struck == 1
    silent.speak()
    other = Redlock("a", party.urls[:3], ttl=2)
    assert other.acquire(1) is None
    lease.check()

    assert lease.release() is True
    lock.close()
    other.close()


def test_a_lease_is_extended_no_further_than_servers_without_memory_stay_out(
    party: Party,
) -> None:
    lock = Redlock("a", party.urls[:3], ttl=TTL, max_ttl=2)
    with lock.hold(5) as lease:
        lease.extend(2)
        with pytest.raises(BadInputError, match="2001 ms is more than max_ttl, 2000 ms"):
            lease.extend(2.001)
        lease.check()

    lock.close()


def test_an_acquisition_that_comes_after_the_release_gets_nothing(party: Party) -> None:
    lock = Redlock("a", party.urls[:3], ttl=TTL, timeout=0.5)
    with lock.hold(5):
        pass
    for proxy in party.proxies[:2]:
        proxy.add_rule(Rule(ACQUIRE.sha.encode(), Fault.KEEP_REQUEST, times=1))

    with lock.hold(5):
        pass

    wait_until(lambda: all(map(has_spent_tokens, party.servers[:3])), "it is settled")
    late = [len(proxy.deliver_kept()) for proxy in party.proxies[:2]]
    assert late == [1, 1]
    assert held_on(party.servers) == 0
    lock.close()


def has_spent_tokens(server: ValkeyServer) -> bool:
    """Whether it was told to refuse a token."""
    with server.client() as client:
        return bool(client.exists(f"{KEY}:x"))
