"""Options that somebody else has stored: a value of the wrong kind counts as absent."""

import pytest

from toril.bullmq.wire.options import (
    KeepRule,
    StoredBackoff,
    read_options,
    stored_backoff,
    stored_keep,
)
from toril.core.backoff import Backoff
from toril.core.durations import LONGEST_MS

ALL = KeepRule()
MOST = 2**53 - 1


@pytest.mark.parametrize(
    ("stored", "rule"),
    [
        (True, KeepRule(count=0)),
        (False, ALL),
        (0, KeepRule(count=0)),
        (5, KeepRule(count=5)),
        (5.0, KeepRule(count=5)),
        (-1, ALL),
        (1e300, KeepRule(count=MOST)),
        ({}, ALL),
        ({"count": 5}, KeepRule(count=5)),
        ({"count": 0}, KeepRule(count=0)),
        ({"count": -1}, ALL),
        ({"count": None, "age": 9}, KeepRule(age_s=9)),
        ({"age": 0}, KeepRule(age_s=0)),
        ({"age": -7}, ALL),
        ({"age": 1e300, "count": "5"}, KeepRule(age_s=MOST)),
        (None, None),
        ("5", None),
        ([5], None),
    ],
)
def test_a_rule_of_removal(stored: object, rule: KeepRule | None) -> None:
    read = read_options({"removeOnComplete": stored, "removeOnFail": stored})

    assert read.on_complete == rule
    assert read.on_fail == rule


@pytest.mark.parametrize(
    ("stored", "backoff"),
    [
        (500, StoredBackoff("fixed", 500)),
        (0.5, StoredBackoff("fixed", 0.5)),
        (0, None),
        (None, None),
        ("fixed", None),
        ({}, None),
        ({"type": 7}, None),
        ({"type": "fixed"}, StoredBackoff("fixed")),
        ({"type": "exponential", "delay": 9}, StoredBackoff("exponential", 9)),
        ({"type": "own", "delay": "9", "jitter": True}, StoredBackoff("own")),
        ({"type": "fixed", "delay": 9, "jitter": 0.5, "more": 1}, StoredBackoff("fixed", 9, 0.5)),
    ],
)
def test_a_backoff(stored: object, backoff: StoredBackoff | None) -> None:
    assert read_options({"backoff": stored}).backoff == backoff


@pytest.mark.parametrize(
    ("stored", "attempts"),
    [
        (3, 3),
        (3.0, 3),
        (0, 0),
        (-4, 0),
        (1e300, MOST),
        (10**400, MOST),
        (2.5, 0),
        (True, 0),
        ("3", 0),
        (None, 0),
    ],
)
def test_a_number_of_attempts(stored: object, attempts: int) -> None:
    assert read_options({"attempts": stored}).attempts == attempts


def test_what_is_unknown_is_kept() -> None:
    raw = {"tm": {"trace": 1}, "attempts": 2}

    assert read_options(raw).raw == raw


@pytest.mark.parametrize(
    ("keep", "stored"),
    [
        (ALL, {}),
        (KeepRule(count=5), {"count": 5}),
        (KeepRule(age_s=0), {"age": 0}),
        (KeepRule(5, 6), {"count": 5, "age": 6}),
    ],
)
def test_a_rule_is_read_as_it_was_written(keep: KeepRule, stored: dict[str, int]) -> None:
    assert stored_keep(keep) == stored
    assert read_options({"removeOnFail": stored}).on_fail == keep


@pytest.mark.parametrize(
    "backoff", [Backoff.fixed(2), Backoff.exponential(0.5), Backoff.fixed(1, jitter=0.25)]
)
def test_a_backoff_is_read_as_it_was_written(backoff: Backoff) -> None:
    read = read_options({"backoff": stored_backoff(backoff)}).backoff

    assert read == StoredBackoff(backoff.kind, backoff.base_ms, backoff.jitter)


@pytest.mark.parametrize(
    ("stored", "timeout_ms"),
    [
        (5_000, 5_000),
        (5_000.0, 5_000),
        (0, None),
        (-7, None),
        (0.5, None),
        (True, None),
        ("5000", None),
        (None, None),
        (1e300, LONGEST_MS),
    ],
)
def test_a_timeout(stored: object, timeout_ms: int | None) -> None:
    assert read_options({"torilTimeout": stored}).timeout_ms == timeout_ms
