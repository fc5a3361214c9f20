"""Limits in the memory of one process: as many keys as fit, the busy ones last to go."""

import pytest

from toril.toolkit.limits import Limit
from toril.toolkit.limits import local_limits as module
from toril.toolkit.limits.arbiter import Arbiter
from toril.toolkit.limits.local_limits import LocalLimits

PLACES = 100
DAY_US = 86_400_000_000


class Crowd:
    """Callers with a key each, under a limit of one a day."""

    def __init__(self) -> None:
        self._arbiter = Arbiter("api", Limit("2/day", algorithm="sliding_log"), {})
        self._limits = LocalLimits()

    def is_granted(self, key: str, now_us: int = DAY_US) -> bool:
        rows = self._arbiter.request(key, 1).hit.rows
        return self._limits.hit(rows, 0, now_us).granted

    def reset(self, key: str) -> None:
        self._limits.reset(self._arbiter.keys(key).limits, DAY_US)


@pytest.fixture
def crowd(monkeypatch: pytest.MonkeyPatch) -> Crowd:
    monkeypatch.setattr(module, "_MOST_KEYS", PLACES)
    return Crowd()


def test_whoever_asks_on_is_not_forgotten_for_those_who_come_once(crowd: Crowd) -> None:
    crowd.is_granted("ada")
    for number in range(PLACES - 1):
        crowd.is_granted(f"once:{number}")
    crowd.is_granted("ada")
    crowd.is_granted("one too many")

    assert not crowd.is_granted("ada")


def test_states_that_say_nothing_go_before_others(crowd: Crowd) -> None:
    for number in range(PLACES // 2):
        crowd.is_granted(f"early:{number}")
    for _ in range(2):
        crowd.is_granted("ada", DAY_US + 1)
    for number in range(PLACES // 2):
        crowd.is_granted(f"late:{number}", 2 * DAY_US)

    assert not crowd.is_granted("ada", 2 * DAY_US)


def test_room_is_made_for_many_at_once_though_one_ends_at_a_time(
    crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = rooms_made(monkeypatch)
    for number in range(10 * PLACES):
        crowd.is_granted(f"k{number}", DAY_US + number * DAY_US // PLACES)

    assert 0 < len(made) <= 100


def test_resets_are_remembered_in_so_many_places_and_looked_through_when_those_are_full(
    crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = rooms_made(monkeypatch)
    for number in range(PLACES):
        crowd.is_granted(f"k{number}")
        crowd.reset(f"k{number}")
    assert made == []

    for number in range(PLACES, 10 * PLACES):
        crowd.is_granted(f"k{number}")
        crowd.reset(f"k{number}")

    assert 0 < len(made) <= 100
    assert max(made) == PLACES + 1


def rooms_made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many there were each time that room was made."""
    made: list[int] = []
    make_room = module._make_room

    def counted(entries: dict[str, tuple[object, int]], now_us: int) -> None:
        made.append(len(entries))
        make_room(entries, now_us)

    monkeypatch.setattr(module, "_make_room", counted)
    return made
