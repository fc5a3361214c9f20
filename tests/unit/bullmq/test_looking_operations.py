"""What is read of a queue, from every answer there may be."""

import pytest
from tests.support.operation_samples import KEYS

from toril.bullmq.operations.inspect.limits import LimitsInUse, ReadLimits
from toril.bullmq.operations.inspect.stream_edges import GetStreamEdges
from toril.core.errors import UnexpectedReplyError

LIMITS = ReadLimits(keys=KEYS)


def limits(**known: int | None) -> LimitsInUse:
    nothing: dict[str, int | None] = {
        **dict.fromkeys(("concurrency", "rate_max", "rate_duration_ms")),
        **dict.fromkeys(("active", "started", "ttl_ms"), 0),
    }
    return LimitsInUse(**nothing | known)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reply", "known"),
    [
        ([1, None, None, None, 0, None, -2], limits()),
        ([1, b"5", b"2", b"1000", 4, b"1", 900], limits(
            concurrency=5, rate_max=2, rate_duration_ms=1_000, active=4, started=1, ttl_ms=900
        )),
        ([1, b"x", b"", b"1.5", 4, b"x", -1], limits(active=4)),
    ],
)  # fmt: skip
def test_limits_that_are_no_numbers_are_none(reply: list[object], known: LimitsInUse) -> None:
    assert LIMITS.decode(reply) == known


@pytest.mark.parametrize("reply", [[1, None, None, None, 0, None], [1, 0, 0, 0, b"0", 0, 0]])
def test_limits_of_another_shape_are_refused(reply: list[object]) -> None:
    with pytest.raises(UnexpectedReplyError):
        LIMITS.decode(reply)


@pytest.mark.parametrize(
    ("concurrency", "active", "is_maxed"),
    [(None, 9, False), (2, 1, False), (2, 2, True), (2, 3, True)],
)
def test_a_queue_is_maxed_when_as_many_run_as_may(
    concurrency: int | None, active: int, *, is_maxed: bool
) -> None:
    assert limits(concurrency=concurrency, active=active).is_maxed is is_maxed


@pytest.mark.parametrize(
    ("rate_max", "asked", "limited_ms"),
    [(None, None, 70), (None, 3, 70), (None, 4, 0), (3, None, 70), (4, None, 0), (4, 3, 70)],
)
def test_a_queue_is_limited_while_its_period_lasts_and_all_of_it_is_used(
    rate_max: int | None, asked: int | None, limited_ms: int
) -> None:
    in_use = limits(rate_max=rate_max, started=3, ttl_ms=70)

    assert in_use.limited_for_ms(asked) == limited_ms


@pytest.mark.parametrize(("reply", "edges"), [([1, b"1-0", b"2-0"], ("1-0", "2-0")), ([0], None)])
def test_a_stream_reaches_from_one_event_to_another(
    reply: list[object], edges: tuple[str, str] | None
) -> None:
    assert GetStreamEdges(keys=KEYS).decode(reply) == edges
