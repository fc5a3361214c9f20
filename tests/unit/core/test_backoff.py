"""The waits between attempts are the ones Node would choose, up to the worker's cap."""

from datetime import timedelta

import pytest

from toril.core.backoff import DEFAULT_BACKOFF, DEFAULT_CAP_MS, Backoff
from toril.core.errors import BadInputError


def half() -> float:
    return 0.5


def test_a_fixed_wait_stays_the_same() -> None:
    backoff = Backoff.fixed(2.5)

    assert [backoff.delay_ms(failed, half) for failed in (1, 2, 50)] == [2_500] * 3


def test_an_exponential_wait_starts_at_the_delay_and_doubles() -> None:
    backoff = Backoff.exponential(timedelta(seconds=1))

    assert [backoff.delay_ms(failed, half) for failed in (1, 2, 3, 4)] == [1000, 2000, 4000, 8000]


def test_a_wait_never_passes_the_cap() -> None:
    assert DEFAULT_BACKOFF.delay_ms(13, half) == DEFAULT_CAP_MS
    assert DEFAULT_BACKOFF.delay_ms(100_000, half) == DEFAULT_CAP_MS
    assert Backoff.fixed(7200).delay_ms(1, half, max_ms=10) == 10


@pytest.mark.parametrize(
    ("jitter", "drawn", "delay_ms"),
    [(0.5, 0.0, 500), (0.5, 0.5, 750), (0.5, 0.9999, 999), (1.0, 0.0, 0), (1.0, 0.3333, 333)],
)
def test_jitter_leaves_its_share_to_chance_and_rounds_down(
    jitter: float, drawn: float, delay_ms: int
) -> None:
    assert Backoff.fixed(1, jitter=jitter).delay_ms(1, lambda: drawn) == delay_ms


def test_chance_is_not_asked_without_jitter() -> None:
    def never() -> float:
        raise AssertionError

    assert Backoff.exponential(1).delay_ms(1, never) == 1_000


def test_waits_at_the_cap_are_still_spread_out() -> None:
    backoff = Backoff.exponential(1, jitter=0.5)

    assert backoff.delay_ms(40, lambda: 0.0, max_ms=1_000) == 500


def test_a_fraction_stored_by_node_is_rounded_as_node_rounds() -> None:
    backoff = Backoff(kind="exponential", base_ms=2.5)

    assert [backoff.delay_ms(failed, half) for failed in (1, 2)] == [3, 5]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"kind": "fixed", "base_ms": 1, "jitter": 1.5}, "backoff.jitter: 1.5 is not between"),
        ({"kind": "fixed", "base_ms": 1, "jitter": float("nan")}, "backoff.jitter: nan"),
        ({"kind": "fixed", "base_ms": 1, "jitter": True}, "backoff.jitter: True"),
        ({"kind": "fixed", "base_ms": -1}, "backoff.delay: -1"),
        ({"kind": "fixed", "base_ms": float("inf")}, "backoff.delay: inf"),
        ({"kind": "fixed", "base_ms": "1"}, "backoff.delay: '1'"),
        ({"kind": "linear", "base_ms": 1}, "backoff.kind: 'linear' is neither"),
    ],
)
def test_options_out_of_range_are_refused(options: dict, problem: str) -> None:
    with pytest.raises(BadInputError) as refusal:
        Backoff(**options)

    assert str(refusal.value).startswith(problem)


def test_a_negative_delay_is_refused() -> None:
    with pytest.raises(BadInputError, match=r"backoff\.delay: -1 s is negative"):
        Backoff.exponential(-1)
