"""What a ruling means: how long to wait, which limit it is, what a response says."""

from typing import Final

import pytest

from toril.core.errors import BadInputError, UnexpectedReplyError
from toril.toolkit.limits import Decision, Limit
from toril.toolkit.limits.arbiter import Arbiter
from toril.toolkit.limits.deny_cache import DenyCache
from toril.toolkit.limits.operations.adjust import Adjust
from toril.toolkit.limits.ruling import NEVER, Reading, Ruling
from toril.toolkit.limits.wire import LimitKeys, Place

LIMITS: Final = (Limit("100/minute"), Limit("5/1500ms"))
HIT: Final = Arbiter("api", LIMITS, {}).request("ada", 1).hit


def decision(granted: int, slot_us: int, *readings: tuple[int, int, int]) -> Decision:
    ruling = Ruling(bool(granted), 1_000_000, slot_us, [Reading(*one) for one in readings])
    return Decision("api", 1, LIMITS, ruling)


ALLOWED: Final = decision(1, 1_000_000, (1_000_000, 40, 31_000_000), (1_000_000, 2, 1_900_000))
REFUSED: Final = decision(0, 3_200_000, (3_200_000, 0, 61_000_000), (1_000_000, 2, 1_900_000))
NEVER_ALLOWED: Final = decision(0, NEVER, (1_000_000, 9, 1_000_000), (NEVER, 5, 1_000_000))


def test_what_is_allowed_tells_of_the_limit_that_is_nearest() -> None:
    assert ALLOWED.allowed
    assert (ALLOWED.retry_after, ALLOWED.wait, ALLOWED.failed) == (0, 0, None)
    assert (ALLOWED.limit, ALLOWED.remaining, ALLOWED.reset_after) == (LIMITS[1], 2, 0.9)


def test_what_is_refused_tells_of_the_limit_that_refuses_longest() -> None:
    assert (REFUSED.allowed, REFUSED.retry_after, REFUSED.failed) == (False, 2.2, LIMITS[0])
    assert (REFUSED.limit, REFUSED.remaining, REFUSED.reset_after) == (LIMITS[0], 0, 60)


def test_what_is_never_allowed_says_so() -> None:
    assert (NEVER_ALLOWED.retry_after, NEVER_ALLOWED.failed) == (None, LIMITS[1])
    assert "Retry-After" not in NEVER_ALLOWED.headers()


def test_the_headers_of_the_draft_have_every_limit() -> None:
    assert ALLOWED.headers() == {
        "RateLimit-Policy": '"100/minute";q=100;w=60, "5/1500ms";q=5;w=2',
        "RateLimit": '"100/minute";r=40;t=30, "5/1500ms";r=2;t=1',
    }


def test_the_other_headers_have_the_limit_that_matters_and_round_up() -> None:
    assert REFUSED.headers("legacy") == {
        "X-RateLimit-Limit": "100",
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": "60",
        "Retry-After": "3",
    }


def test_a_style_that_there_is_not_is_refused() -> None:
    with pytest.raises(BadInputError, match="style"):
        ALLOWED.headers("rfc")


@pytest.mark.parametrize(
    "reply", [None, [], [1, 2], [1, 2, 3], [1, 2, 3, *[4] * 5], [1, 2, b"3", *[4] * 6], b"OK"]
)
def test_an_unknown_reply_is_an_error_not_a_guess(reply: object) -> None:
    with pytest.raises(UnexpectedReplyError):
        HIT.decode(reply)


@pytest.mark.parametrize("reply", [None, [], [1], [2, 3], 1])
def test_an_unknown_reply_to_a_correction_is_an_error(reply: object) -> None:
    with pytest.raises(UnexpectedReplyError):
        Adjust(
            receipt_key="k", answer_key="a", rows=HIT.rows, granted_us=1, slot_us=1, actual=0
        ).decode(reply)


def test_a_denial_is_found_until_it_is_forgotten() -> None:
    denials = DenyCache(1.0)
    denials.keep("ada", REFUSED)

    found = denials.find("ada", 1)

    assert found is not None
    assert found.cached
    assert denials.find("ada", 2) is None
    assert denials.find("bob", 1) is None
    denials.forget("ada")
    assert denials.find("ada", 1) is None


def test_denials_are_bounded() -> None:
    denials = DenyCache(1.0)
    for number in range(10_001):
        denials.keep(str(number), REFUSED)

    assert denials.find("0", 1) is None
    assert denials.find("10000", 1) is not None


@pytest.mark.parametrize("scope", [None, "acme", "a:b"])
def test_no_two_keys_of_limiters_are_alike(scope: str | None) -> None:
    words = ["op", "x", "x:op", "x:op:gcra-1000", "gcra-1000", "{x}", "x%3Aop"]
    places = [Place("toril", name, key, scope) for name in words for key in words]
    keys = [LimitKeys(place, ["gcra-1000"]) for place in places]
    names = [
        made
        for one in keys
        for made in (*one.limits, *map(one.receipt, words), *map(one.correction, words))
    ]

    assert len(set(names)) == len(names)
