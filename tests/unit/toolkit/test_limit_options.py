"""What is no limit, no name or no cost is refused, before anybody is asked."""

from datetime import timedelta
from typing import Any, TypeAlias

import pytest

from toril.core.errors import BadInputError
from toril.toolkit.limits import AsyncRateLimiter, Limit, RateLimiter
from toril.toolkit.limits.rate import Rate, parse_rate

Wrong: TypeAlias = Any
"""Whatever a caller may pass."""

NOBODY = "redis://127.0.0.1:1"
"""Whoever asks there hears that nobody does; what is refused earlier never hears it."""


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("100/minute", Rate(100, 60_000)),
        ("5/10s", Rate(5, 10_000)),
        ("5/10 seconds", Rate(5, 10_000)),
        ("1_000 per day", Rate(1_000, 86_400_000)),
        ("1,000/h", Rate(1_000, 3_600_000)),
        (" 7 / 250 ms ", Rate(7, 250)),
        ("2/Second", Rate(2, 1_000)),
        ("3/15min", Rate(3, 900_000)),
        ("1/366 days", Rate(1, 366 * 86_400_000)),
    ],
)
def test_a_rate_is_read(text: str, rate: Rate) -> None:
    assert parse_rate(text) == rate


@pytest.mark.parametrize(
    "text",
    [
        *("", "100", "100/", "/minute", "-1/s", "1.5/s", "0/s", "1/0s", "ten/s", "1/s/s"),
        *("1/367d", "1/s1", "\u0661/s", "1e3/s", f"{2**31 + 1}/day", "1/-5s", "per day", "1/1.5s"),
        *(None, 5, b"5/s", True, ("5", "s")),
    ],
)
def test_what_is_no_rate_is_refused(text: Wrong) -> None:
    with pytest.raises(BadInputError, match="rate"):
        Limit(text)


def test_a_unit_that_was_misspelt_is_suggested() -> None:
    with pytest.raises(BadInputError, match="did you mean 'minute'"):
        Limit("5/minuet")


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"algorithm": "bucket"}, "algorithm"),
        ({"algorithm": None}, "algorithm"),
        ({"burst": 0}, "burst"),
        ({"burst": -1}, "burst"),
        ({"burst": 1.5}, "burst"),
        ({"burst": True}, "burst"),
        ({"burst": "9"}, "burst"),
        ({"burst": 2**31}, "burst"),
        ({"burst": 5, "algorithm": "fixed_window"}, "burst"),
        ({"burst": 5, "algorithm": "sliding_log"}, "burst"),
        ({"align": "epoch"}, "align"),
        ({"align": "monday", "algorithm": "fixed_window"}, "align"),
        ({"buckets": 10}, "buckets"),
        ({"buckets": 0, "algorithm": "sliding_counter"}, "buckets"),
        ({"buckets": 101, "algorithm": "sliding_counter"}, "buckets"),
        ({"buckets": 2.0, "algorithm": "sliding_counter"}, "buckets"),
        ({"buckets": 5, "mode": "weighted", "algorithm": "sliding_counter"}, "buckets"),
        ({"mode": "strict"}, "mode"),
        ({"mode": "lenient", "algorithm": "sliding_counter"}, "mode"),
    ],
)
def test_what_is_no_option_of_the_algorithm_is_refused(options: Wrong, field: str) -> None:
    with pytest.raises(BadInputError) as refused:
        Limit("5/minute", **options)

    assert refused.value.field == field


@pytest.mark.parametrize(
    ("rate", "options"),
    [
        ("10001/day", {"algorithm": "sliding_log"}),
        ("1001/ms", {}),
        ("1/day", {"burst": 3_651}),
        ("200000000/366d", {"algorithm": "sliding_counter", "mode": "weighted"}),
    ],
)
def test_what_an_algorithm_cannot_count_is_refused(rate: str, options: Wrong) -> None:
    with pytest.raises(BadInputError):
        Limit(rate, **options)


@pytest.mark.parametrize("limiter", [AsyncRateLimiter, RateLimiter])
@pytest.mark.parametrize(
    ("name", "limits", "options"),
    [
        ("", Limit("1/s"), {}),
        (None, Limit("1/s"), {}),
        (b"api", Limit("1/s"), {}),
        ("x" * 513, Limit("1/s"), {}),
        ("\ud800", Limit("1/s"), {}),
        ("api", [], {}),
        ("api", ["1/s"], {}),
        ("api", [Limit("1/s"), Limit("2/s")], {}),
        ("api", [Limit(f"1/{n}s") for n in range(1, 18)], {}),
        ("api", Limit("1/s"), {"on_error": "shut"}),
        ("api", Limit("1/s"), {"on_eror": "open"}),
        ("api", Limit("1/s"), {"deny_cache": -1}),
        ("api", Limit("1/s"), {"deny_cache": 1.5}),
        ("api", Limit("1/s"), {"deny_cache": True}),
        ("api", Limit("1/s"), {"deny_cache": "1s"}),
        ("api", Limit("1/s"), {"scope": ""}),
        ("api", Limit("1/s"), {"scope": 7}),
        ("api", Limit("1/s"), {"prefix": "a{b}"}),
        ("api", Limit("1/s"), {"prefix": ""}),
        ("api", Limit("1/s"), {"timeout": 0}),
        ("api", Limit("1/s"), {"timeout": None}),
        ("api", Limit("1/s"), {"timeout": float("nan")}),
        ("api", Limit("1/s"), {"timeout": timedelta(seconds=-1)}),
    ],
)
def test_what_is_no_limiter_is_refused(
    limiter: Wrong, name: Wrong, limits: Wrong, options: Wrong
) -> None:
    with pytest.raises(BadInputError):
        limiter(name, limits, NOBODY, **options)


@pytest.mark.parametrize("key", ["", None, 7, b"k", "x" * 513, "\ud800", ["k"]])
def test_what_is_no_key_is_refused(key: Wrong) -> None:
    with RateLimiter("api", Limit("5/s"), NOBODY) as limiter:
        for call in (limiter.hit, limiter.peek, limiter.acquire, limiter.reset, limiter.inspect):
            with pytest.raises(BadInputError, match="key"):
                call(key)


@pytest.mark.parametrize("cost", [-1, 1.0, True, None, "1", 2**31 + 1, float("nan")])
def test_what_is_no_cost_is_refused(cost: Wrong) -> None:
    with RateLimiter("api", Limit("5/s"), NOBODY) as limiter:
        for call in (limiter.hit, limiter.peek, limiter.acquire, limiter.reserve):
            with pytest.raises(BadInputError, match="cost"):
                call("ada", cost)


@pytest.mark.parametrize("timeout", [-1, "5s", float("inf"), True])
def test_what_is_no_timeout_is_refused(timeout: Wrong) -> None:
    with RateLimiter("api", Limit("5/s"), NOBODY) as limiter, pytest.raises(BadInputError):
        limiter.acquire("ada", timeout=timeout)


@pytest.mark.parametrize("operation_id", ["", 7, "x" * 513])
def test_what_is_no_operation_id_is_refused(operation_id: Wrong) -> None:
    with RateLimiter("api", Limit("5/s"), NOBODY) as limiter, pytest.raises(BadInputError):
        limiter.hit("ada", operation_id=operation_id)


def test_limits_are_equal_when_they_say_the_same() -> None:
    assert Limit("5/s") == Limit("5/s")
    assert Limit("5/s", burst=1) != Limit("5/s")
    assert repr(Limit("5/s", burst=2)) == "Limit('5/s', burst=2)"
    assert len({Limit("5/s"), Limit("5/s")}) == 1
