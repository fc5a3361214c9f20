"""Whose vote counts for a lock on several servers, and what the votes come to."""

import pytest

from toril.core.errors import BadInputError, DeniedError, OutcomeUnknownError, UnavailableError
from toril.toolkit.leases.claim import Busy, Granted
from toril.toolkit.redlock.operations.identify import Identity
from toril.toolkit.redlock.rules import (
    Ballot,
    Probation,
    Vote,
    answer_within_ms,
    majority_of,
    refuse_twins,
    unfitness,
    verdict,
)

SILENT = UnavailableError("a", "it is silent")
DENIED = DeniedError("a", "wrong password")


def run(run_id: str, uptime_s: int = 10_000) -> Identity:
    return Identity(run_id, uptime_s, is_master=True, is_cluster=False)


def ballot(*votes: Vote) -> Ballot:
    return Ballot({f"server {place}": vote for place, vote in enumerate(votes)})


@pytest.mark.parametrize(("ttl_ms", "within_ms"), [(30_000, 50), (1_000, 50), (400, 20), (10, 1)])
def test_a_silent_server_uses_up_a_small_part_of_the_lease(ttl_ms: int, within_ms: int) -> None:
    assert answer_within_ms(ttl_ms) == within_ms


@pytest.mark.parametrize(("servers", "needed"), [(3, 2), (5, 3), (7, 4)])
def test_two_majorities_have_a_server_in_common(servers: int, needed: int) -> None:
    assert majority_of(servers) == needed
    assert 2 * needed > servers


def test_a_server_that_runs_for_long_votes_at_once() -> None:
    assert Probation(30.0).left_s(run("a", uptime_s=30), now=5.0) == 0


def test_a_server_that_runs_for_a_short_time_votes_when_leases_from_before_are_over() -> None:
    probation = Probation(30.0)

    assert probation.left_s(run("a", uptime_s=10), now=5.0) == 20.0
    assert probation.left_s(run("a", uptime_s=10), now=24.0) == 1.0
    assert probation.left_s(run("a", uptime_s=30), now=25.0) == 0


def test_a_restart_under_our_eyes_costs_the_whole_time_whatever_the_server_says() -> None:
    probation = Probation(30.0)
    probation.left_s(run("a"), now=5.0)

    assert probation.left_s(run("b", uptime_s=10_000), now=100.0) == 30.0
    assert probation.left_s(run("b"), now=130.0) == 0


def test_a_majority_wins() -> None:
    assert ballot(Granted(7), Busy(5), Granted(9)).is_won
    assert not ballot(Granted(7), Busy(5), SILENT).is_won
    assert not ballot(Granted(7), Granted(7), SILENT, SILENT, SILENT).is_won


def test_the_fence_of_a_lease_is_one_that_a_majority_has_reached() -> None:
    ahead = ballot(Granted(7), Granted(9), Granted(7), SILENT, Busy(5))
    level = ballot(Granted(9), Granted(9), Granted(9), Granted(12), Busy(5))

    assert (ahead.largest_fence, ahead.common_fence) == (9, 7)
    assert (level.largest_fence, level.common_fence) == (12, 9)
    assert ballot(Granted(9), SILENT, Busy(5)).common_fence == 0


@pytest.mark.parametrize(
    ("votes", "is_hopeless"),
    [
        ((DENIED, DENIED, Granted(1)), True),
        ((DENIED, Busy(5), Granted(1)), False),
        ((SILENT, SILENT, SILENT), False),
        ((DENIED, SILENT, SILENT), False),
        ((OutcomeUnknownError("acquire", "a"), DENIED, Granted(1)), False),
        ((DENIED, DENIED, DENIED, SILENT, Granted(1)), True),
    ],
)
def test_what_is_wrong_for_good_ends_all_hope_and_silence_does_not(
    votes: tuple[Vote, ...], is_hopeless: bool
) -> None:
    assert ballot(*votes).is_hopeless is is_hopeless


def test_a_server_under_two_names_votes_once() -> None:
    identities = {"one": run("a"), "two": run("b"), "three": run("a"), "four": SILENT}
    votes: dict[str, Vote] = {name: Granted(1) for name in identities}

    refuse_twins(identities, votes)

    assert [name for name, vote in votes.items() if isinstance(vote, Granted)] == [
        "one",
        "two",
        "four",
    ]
    assert "three is the same server as one" in str(votes["three"])


def test_replicas_and_nodes_of_clusters_do_not_vote() -> None:
    assert unfitness("a", run("a")) is None
    for identity, word in (
        (Identity("a", 9, is_master=False, is_cluster=False), "replica"),
        (Identity("a", 9, is_master=True, is_cluster=True), "cluster"),
    ):
        fault = unfitness("a", identity)
        assert isinstance(fault, BadInputError)
        assert word in str(fault)


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ((True, True, SILENT), True),
        ((True, False, SILENT), None),
        ((False, False, True), False),
        ((False, False, SILENT), False),
        ((False, SILENT, SILENT), None),
        ((True, True, False, False, SILENT), None),
        ((True, True, True, False, False), True),
    ],
)
def test_a_verdict_needs_enough_answers(answers: tuple[object, ...], expected: bool | None) -> None:
    found = verdict(answers)

    assert found is expected if expected is not None else isinstance(found, UnavailableError)


def test_a_message_has_arrived_when_everybody_has_heard_it() -> None:
    assert verdict((None, None, None)) is None
    assert isinstance(verdict((None, None, SILENT)), UnavailableError)
