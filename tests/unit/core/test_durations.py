"""Durations are seconds or timedeltas outside, whole milliseconds inside, and checked between."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from toril.core.durations import (
    LONGEST_MS,
    Duration,
    delay_until,
    timestamp_ms,
    to_ms,
    to_timedelta,
)
from toril.core.errors import BadInputError


@pytest.mark.parametrize(
    ("value", "milliseconds"),
    [
        (0, 0),
        (5, 5_000),
        (1.5, 1_500),
        (0.0004, 1),
        (0.0016, 2),
        (timedelta(minutes=2), 120_000),
        (timedelta(microseconds=1), 1),
        (timedelta(0), 0),
    ],
)
def test_seconds_and_timedeltas_become_milliseconds(value: Duration, milliseconds: int) -> None:
    assert to_ms(value, "delay") == milliseconds


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (True, "is of type bool: pass seconds or a timedelta"),
        ("5", "is of type str"),
        (None, "is of type NoneType"),
        (float("nan"), "not a duration"),
        (float("inf"), "not a duration"),
        (10**400, "not a duration"),
        (-1, "-1 s is negative"),
        (-0.0001, "-0.0001 s is negative"),
        (timedelta(seconds=-1), "is negative"),
        (timedelta.max, "is more than 3650 days"),
        (1e300, "is more than 3650 days"),
    ],
)
def test_what_is_no_duration_is_refused(value: Duration, problem: str) -> None:
    with pytest.raises(BadInputError) as refusal:
        to_ms(value, "delay")

    assert str(refusal.value).startswith("delay: ")
    assert problem in str(refusal.value)


def test_bounds_are_inclusive_and_named() -> None:
    assert to_ms(0.01, "lock", minimum=10, maximum=10) == 10
    with pytest.raises(BadInputError, match=r"lock: 0\.009 s is less than 10 ms"):
        to_ms(0.009, "lock", minimum=10)
    with pytest.raises(BadInputError, match=r"lock: 61 s is more than 0:01:00"):
        to_ms(61, "lock", maximum=60_000)


def test_ten_years_is_the_longest() -> None:
    assert to_ms(LONGEST_MS / 1000, "delay") == LONGEST_MS


def test_the_way_back_gives_a_timedelta() -> None:
    assert to_timedelta(1_500) == timedelta(seconds=1.5)


def test_a_moment_is_the_same_in_every_zone() -> None:
    moment = datetime(2026, 1, 1, 12, tzinfo=UTC)
    elsewhere = moment.astimezone(timezone(timedelta(hours=5, minutes=30)))

    assert timestamp_ms(moment, "until") == timestamp_ms(elsewhere, "until") == 1_767_268_800_000


def test_a_moment_without_a_zone_is_refused_with_the_reason() -> None:
    with pytest.raises(BadInputError, match="has no time zone, so it means another moment"):
        timestamp_ms(datetime(2026, 1, 1), "until")  # noqa: DTZ001 - what is refused


@pytest.mark.parametrize(
    ("until", "delay_ms"),
    [
        (datetime.fromtimestamp(105, UTC), 5_000),
        (datetime.fromtimestamp(100, UTC), 0),
        (datetime.fromtimestamp(1, UTC), 0),
        (timedelta(seconds=7), 7_000),
        (7, 7_000),
    ],
)
def test_until_is_a_moment_or_a_duration_from_now(
    until: datetime | Duration, delay_ms: int
) -> None:
    assert delay_until(until, "until", now_ms=100_000) == delay_ms


def test_a_moment_too_far_away_is_refused() -> None:
    with pytest.raises(BadInputError, match="more than ten years away"):
        delay_until(datetime(2090, 1, 1, tzinfo=UTC), "until", now_ms=1_767_268_800_000)
