"""Pauses double up to their cap, half of each is chance, and success starts them over."""

import pytest

from toril.runtime.pauses import Pauses


@pytest.mark.parametrize(("chance", "share"), [(0.0, 0.5), (1.0, 1.0)])
def test_pauses_double_up_to_the_cap(chance: float, share: float) -> None:
    pauses = Pauses(first_ms=50, most_ms=400, chance=lambda: chance)

    seconds = [pauses.next_s() for _ in range(5)]

    assert seconds == pytest.approx([share * ms / 1_000 for ms in (50, 100, 200, 400, 400)])


def test_success_starts_them_over() -> None:
    pauses = Pauses(first_ms=50, most_ms=400, chance=lambda: 1.0)
    for _ in range(5):
        pauses.next_s()

    pauses.reset()

    assert pauses.next_s() == 0.05
