"""A worker is healthy while jobs can come and go; whatever else it says of itself."""

from dataclasses import replace

import pytest

from toril.core.errors import BadInputError
from toril.runtime import Health, State

WELL = Health(
    state=State.RUNNING,
    is_paused=False,
    slots=2,
    running=2,
    stuck=0,
    unsettled=0,
    last_answer_ms_ago=29_999,
    problem="",
)


@pytest.mark.parametrize(
    "health",
    [
        WELL,
        replace(WELL, problem="UnavailableError: gone"),
        replace(WELL, is_paused=True),
        replace(WELL, stuck=1),
        replace(WELL, unsettled=100),
        replace(WELL, state=State.DRAINING),
    ],
)
def test_a_worker_that_gets_things_done_has_no_trouble(health: Health) -> None:
    assert health.trouble() == ""


@pytest.mark.parametrize(
    ("health", "trouble"),
    [
        (replace(WELL, state=State.STOPPED), "it has stopped"),
        (replace(WELL, stuck=2), "every slot is held by a handler that did not stop"),
        (replace(WELL, last_answer_ms_ago=30_001), "the server last answered 30 s ago"),
        (
            replace(WELL, last_answer_ms_ago=90_000, problem="UnavailableError: gone"),
            "the server last answered 90 s ago: UnavailableError: gone",
        ),
        (replace(WELL, last_answer_ms_ago=None), "the server has never answered"),
    ],
)
def test_trouble_is_named(health: Health, trouble: str) -> None:
    assert health.trouble().startswith(trouble)


def test_patience_is_for_the_caller_to_choose() -> None:
    assert WELL.trouble(silence=15) == "the server last answered 30 s ago"
    assert replace(WELL, last_answer_ms_ago=50_000).trouble(silence=60) == ""


@pytest.mark.parametrize("silence", [9.9, -1, float("nan")])
def test_less_patience_than_an_idle_worker_needs_is_refused(silence: float) -> None:
    with pytest.raises(BadInputError, match="silence"):
        WELL.trouble(silence=silence)
