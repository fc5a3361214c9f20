"""The scores that order jobs, under both Lua versions, without a server."""

import pytest
from tests.support.lua_helper import LUA_VERSIONS, lua_helper

pytestmark = pytest.mark.parametrize("version", LUA_VERSIONS)

QUEUE = {"pc_key": "pc", "delayed_key": "delayed"}


def test_a_smaller_priority_comes_first_and_then_the_earlier_arrival(version: str) -> None:
    arrivals = iter(range(1, 5))
    score = lua_helper("priority_score", lambda *_: next(arrivals), version=version)

    scores = [score(QUEUE, priority) for priority in (2, 1, 2, 1)]

    assert scores == [2 * 2**32 + 1, 2**32 + 2, 2 * 2**32 + 3, 2**32 + 4]


def test_an_arrival_counter_beyond_32_bits_starts_over(version: str) -> None:
    score = lua_helper("priority_score", lambda *_: 2**32 + 7, version=version)

    assert score(QUEUE, 1) == 2**32 + 7


def test_the_largest_priority_is_still_exact(version: str) -> None:
    score = lua_helper("priority_score", lambda *_: 2**32 - 1, version=version)

    assert score(QUEUE, 2**21 - 1) == 2**53 - 1


@pytest.mark.parametrize(
    ("last_score", "score"),
    [
        (None, 1_000 * 4096),
        (1_000 * 4096, 1_000 * 4096 + 1),
        (1_000 * 4096 + 4095, 1_000 * 4096 + 4095),
    ],
)
def test_jobs_due_in_one_millisecond_queue_up_in_its_4096_places(
    version: str, last_score: int | None, score: int
) -> None:
    found = [] if last_score is None else ["job", str(last_score)]
    delayed_score = lua_helper("delayed_score", lambda *_: found, version=version)

    assert delayed_score(QUEUE, 1_000) == score


def test_the_clock_is_the_servers_in_milliseconds(version: str) -> None:
    now_ms = lua_helper("now_ms", lambda *_: ["1700000000", "123999"], version=version)

    assert now_ms("0") == "1700000000123"


def test_a_frozen_clock_wins(version: str) -> None:
    now_ms = lua_helper("now_ms", lambda *_: pytest.fail("asked the server"), version=version)

    assert now_ms("42") == "42"
