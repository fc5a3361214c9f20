"""Options are checked once, and say which one is wrong."""

import pytest

from toril.core.errors import BadInputError
from toril.runtime import EngineOptions


def test_the_defaults_are_the_documented_ones() -> None:
    options = EngineOptions()

    assert (options.concurrency, options.batch, options.lanes) == (1, 100, 1)
    assert (options.lease_ms, options.renew_after_ms) == (30_000, 15_000)
    assert (options.check_every_ms, options.renew_retry_ms) == (5_000, 2_500)
    assert (options.drain_ms, options.grace_ms, options.shutdown_ms) == (25_000, 2_000, 30_000)
    assert options.doorbell_ms == 5_000


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("concurrency", 0),
        ("concurrency", True),
        ("concurrency", 1.5),
        ("batch", 1_001),
        ("lease_ms", 99),
        ("doorbell_ms", 10_001),
        ("grace_ms", -1),
        ("shutdown_ms", "1"),
    ],
)
def test_a_wrong_option_is_named(field: str, value: object) -> None:
    with pytest.raises(BadInputError, match=f"^{field}: ") as refusal:
        EngineOptions(**{field: value})  # type: ignore[arg-type]

    assert refusal.value.field == field


def test_a_drain_cannot_be_longer_than_the_whole_shutdown() -> None:
    with pytest.raises(BadInputError, match="drain_ms: 40000 is longer than shutdown_ms"):
        EngineOptions(drain_ms=40_000)


@pytest.mark.parametrize(
    ("concurrency", "lanes", "lane_batch", "pays"),
    [
        (1, 1, 1, 1),
        (9, 1, 9, 9),
        (10, 2, 5, 5),
        (50, 2, 25, 25),
        (51, 2, 26, 25),
        (100, 2, 50, 25),
        (1_000, 2, 100, 25),
    ],
)
def test_lanes_share_the_slots(concurrency: int, lanes: int, lane_batch: int, pays: int) -> None:
    options = EngineOptions(concurrency=concurrency)

    assert (options.lanes, options.lane_batch) == (lanes, lane_batch)
    assert options.pays_beside_another == pays
