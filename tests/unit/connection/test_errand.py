"""The books of a call: what may still be tried, and what is known of what was."""

import pytest
from tests.support.operations import BumpOnce

from toril.connection.errand import Delivery, Errand
from toril.connection.refusal import LostError, Refusal
from toril.core.errors import OutcomeUnknownError, UnavailableError

_SERVER = "nowhere:1"


@pytest.fixture
def errand() -> Errand[int]:
    """One request whose reply was lost, and that is sent again."""
    errand = Errand([BumpOnce("a", "token")])
    errand.begin_attempt()
    errand.answered(0, LostError("the server closed the connection"), _SERVER)
    errand.begin_attempt()
    return errand


@pytest.mark.parametrize("code", ["LOADING", "BUSY", "READONLY", "NOSCRIPT"])
def test_a_refusal_after_a_lost_reply_does_not_make_the_outcome_known(
    errand: Errand[int], code: str
) -> None:
    errand.answered(0, Refusal(f"{code} not now"), _SERVER)

    assert isinstance(errand.results[0], OutcomeUnknownError)
    assert errand.pending == [0]


def test_a_server_that_cannot_be_reached_after_a_lost_reply_leaves_the_outcome_unknown(
    errand: Errand[int],
) -> None:
    errand.not_sent([0], UnavailableError(_SERVER, "connection refused"))

    assert isinstance(errand.results[0], OutcomeUnknownError)
    assert errand.pending == [0]


def test_an_answer_after_a_lost_reply_is_the_outcome(errand: Errand[int]) -> None:
    errand.answered(0, 7, _SERVER)

    assert errand.results == [7]
    assert errand.pending == []


def test_a_refusal_alone_says_that_nothing_happened() -> None:
    errand = Errand([BumpOnce("a", "token")])
    errand.begin_attempt()

    errand.answered(0, Refusal("LOADING not now"), _SERVER)

    assert isinstance(errand.results[0], UnavailableError)


def test_it_is_told_that_a_request_was_sent_again_without_an_answer_to_the_first() -> None:
    delivery = Delivery()
    errand = Errand([BumpOnce("a", "token")], delivery)
    errand.begin_attempt()
    errand.answered(0, LostError("the server closed the connection"), _SERVER)
    errand.begin_attempt()
    errand.answered(0, 7, _SERVER)

    assert errand.results == [7]
    assert delivery.was_lost


def test_what_certainly_did_not_happen_is_not_told_as_lost() -> None:
    delivery = Delivery()
    errand = Errand([BumpOnce("a", "token")], delivery)
    errand.begin_attempt()
    errand.not_sent([0], UnavailableError(_SERVER, "connection refused"))
    errand.begin_attempt()
    errand.answered(0, Refusal("LOADING not now"), _SERVER)
    errand.begin_attempt()
    errand.answered(0, 7, _SERVER)

    assert not delivery.was_lost
