"""However calls, waits, refunds and settlements follow each other, no limit is exceeded.

This plays on the gauges in Python, whose clock can be set; `test_limit_gauges.py` holds the scripts
to them.
"""

from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.limit_laws import Granted, breaches

from toril.toolkit.limits.arbiter import Arbiter
from toril.toolkit.limits.limit import Limit
from toril.toolkit.limits.local_limits import LocalLimits

LONG: Final = (pytest.mark.long, pytest.mark.timeout(900))
HOW_MANY: Final = pytest.mark.parametrize("examples", [200, pytest.param(10_000, marks=LONG)])

BEGIN_US: Final = 1_700_000_000_000_000

LIMITS: Final = [
    Limit("7/10ms", burst=4),
    Limit("1/1ms", burst=4),
    Limit("3/9ms", algorithm="leaky_bucket"),
    Limit("5/8ms", algorithm="fixed_window"),
    Limit("5/8ms", algorithm="fixed_window", align="first_hit"),
    Limit("5/9ms", algorithm="sliding_log"),
    Limit("6/10ms", algorithm="sliding_counter", buckets=4),
    Limit("6/10ms", algorithm="sliding_counter", mode="weighted"),
]

hits: Final = st.tuples(st.just("hit"), st.integers(1, 6), st.sampled_from([0, 0, 3_000, 20_000]))
corrections: Final = st.tuples(st.just("correct"), st.integers(0, 5), st.integers(0, 7))
times: Final = st.tuples(st.just("pass"), st.integers(1, 4_000), st.just(0))
histories: Final = st.lists(hits | corrections | times, min_size=4, max_size=40)


def play(limits: list[Limit], history: list[tuple[str, int, int]]) -> list[Granted]:
    """What was granted and kept."""
    arbiter, gauges = Arbiter("laws", limits, {}), LocalLimits()
    now_us = BEGIN_US
    granted: list[Granted] = []
    kept: list[Granted] = []
    for what, first, second in history:
        if what == "pass":
            now_us += first
        elif what == "hit":
            rows = arbiter.request("k", first).hit.rows
            ruling = gauges.hit(rows, second, now_us)
            if ruling.granted:
                granted.append(Granted(ruling.slot_us, first))
        elif first < len(granted):
            at_us, cost = granted.pop(-1 - first)
            rows = arbiter.request("k", cost).hit.rows
            gauges.adjust(rows, second, granted_us=at_us, slot_us=at_us, now_us=now_us)
            kept.append(Granted(at_us, min(cost, second)))
    return kept + granted


@HOW_MANY
@pytest.mark.parametrize("limit", LIMITS, ids=repr)
def test_no_limit_is_exceeded(limit: Limit, examples: int) -> None:
    @settings(max_examples=examples, deadline=None, database=None)
    @given(history=histories)
    def holds(history: list[tuple[str, int, int]]) -> None:
        assert breaches(limit, play([limit], history)) == []

    holds()


@HOW_MANY
def test_of_several_limits_none_is_exceeded(examples: int) -> None:
    limits = [*LIMITS[:1], *LIMITS[2:]]

    @settings(max_examples=examples, deadline=None, database=None)
    @given(history=histories)
    def holds(history: list[tuple[str, int, int]]) -> None:
        grants = play(limits, history)

        assert [found for limit in limits for found in breaches(limit, grants)] == []

    holds()


def test_a_slot_that_is_given_back_does_not_open_the_window_before_it() -> None:
    """Found by chance: what fills the window before is not known any more."""
    for limit in LIMITS:
        full = limit.capacity
        history = [("hit", full, 0), ("hit", 1, 20_000), ("correct", 0, 0), ("hit", 1, 0)]

        assert breaches(limit, play([limit], history)) == []
