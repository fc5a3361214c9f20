"""For any backoff: a wait has bounds, grows with the failures, and equals Node's when uncapped."""

import math

from hypothesis import given
from hypothesis import strategies as st

from toril.core.backoff import Backoff, BackoffKind
from toril.core.durations import LONGEST_MS, to_ms

delays_ms = st.integers(0, 10_000_000)
jitters = st.floats(0, 1)
draws = st.floats(0, 1, exclude_max=True)
attempts = st.integers(1, 1_000_000)
caps_ms = st.integers(1, LONGEST_MS)
kinds = st.sampled_from(["fixed", "exponential"])


@given(kinds, delays_ms, jitters, attempts, draws, caps_ms)
def test_a_wait_lies_between_its_certain_share_and_the_cap(
    kind: BackoffKind, delay_ms: int, jitter: float, failed: int, drawn: float, cap_ms: int
) -> None:
    backoff = Backoff(kind=kind, base_ms=delay_ms, jitter=jitter)
    whole_ms = Backoff(kind=kind, base_ms=delay_ms).delay_ms(failed, lambda: drawn, max_ms=cap_ms)

    wait_ms = backoff.delay_ms(failed, lambda: drawn, max_ms=cap_ms)

    assert math.floor(whole_ms * (1 - jitter)) <= wait_ms <= whole_ms <= cap_ms


@given(delays_ms, st.integers(1, 200), caps_ms)
def test_a_wait_never_shrinks_as_failures_add_up(delay_ms: int, failed: int, cap_ms: int) -> None:
    backoff = Backoff(kind="exponential", base_ms=delay_ms)

    earlier, later = (
        backoff.delay_ms(count, lambda: 0.0, max_ms=cap_ms) for count in (failed, failed + 1)
    )

    assert earlier <= later


@given(st.integers(0, 1_000), st.integers(1, 20), jitters.filter(bool), draws)
def test_below_the_cap_the_wait_is_nodes(
    delay_ms: int, failed: int, jitter: float, drawn: float
) -> None:
    whole = 2 ** (failed - 1) * delay_ms
    nodes = math.floor(drawn * whole * jitter + whole * (1 - jitter))

    backoff = Backoff(kind="exponential", base_ms=delay_ms, jitter=jitter)

    assert backoff.delay_ms(failed, lambda: drawn, max_ms=LONGEST_MS) == nodes


@given(st.integers(0, LONGEST_MS))
def test_every_whole_millisecond_survives_the_way_through_seconds(milliseconds: int) -> None:
    assert to_ms(milliseconds / 1000, "delay") == milliseconds
