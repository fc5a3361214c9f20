"""The laws of the soak notice what breaks them."""

from dataclasses import dataclass
from time import monotonic

from tests.support.soak.laws import Room, Runs, Truth


@dataclass(eq=False)
class FakeLease:
    """What a room asks a lease for."""

    fence: int
    left_s: float = 1.0

    def remaining(self) -> float:
        return self.left_s


def test_two_who_hold_at_once_what_one_may() -> None:
    room = Room("plain")
    with room.visit(FakeLease(1)), room.visit(FakeLease(2)):  # type: ignore[arg-type]
        pass

    assert room.breaches == ["plain: [1, 1] at once"]


def test_one_whose_lease_is_over_disturbs_nobody() -> None:
    room = Room("plain")
    with room.visit(FakeLease(1, left_s=0)), room.visit(FakeLease(2)):  # type: ignore[arg-type]
        pass

    assert room.breaches == []


def test_a_writer_among_readers() -> None:
    room = Room("page", 10)
    with room.visit(FakeLease(1)), room.visit(FakeLease(2), 10):  # type: ignore[arg-type]
        pass

    assert room.breaches == ["page: [1, 10] at once"]


def test_a_fence_that_does_not_grow() -> None:
    room = Room("plain")
    for fence in (7, 8, 8):
        with room.visit(FakeLease(fence)):  # type: ignore[arg-type]
            pass

    assert room.breaches == ["plain: fence 8 after 8"]


def test_a_run_that_begins_while_a_result_is_kept() -> None:
    runs = Runs(kept_s=0.5)
    runs.note("a", 0.0, 1.0)
    runs.note("a", 1.5, 2.0)
    runs.note("b", 1.1, 1.2)
    assert runs.breaches == []

    runs.note("a", 2.25, 2.5)
    assert runs.breaches == ["a: it ran again 0.250 s after it had ended"]


def test_a_read_that_gives_what_was_changed_before_it_began() -> None:
    truth = Truth("server", bound_s=0)
    truth.is_certain("a", truth.change("a"))
    truth.saw("a", 0, began=monotonic() - 10)
    truth.saw("a", 1, began=monotonic())
    assert truth.breaches == []

    truth.saw("a", 0, began=monotonic())
    [found] = truth.breaches
    assert found.startswith("server: a was 0, ")


def test_what_may_be_known_late_is_no_breach_before_the_bound() -> None:
    truth = Truth("memory", bound_s=3)
    truth.is_certain("a", truth.change("a"))

    truth.saw("a", 0, began=monotonic() + 2.9)
    assert truth.breaches == []
    truth.saw("a", 0, began=monotonic() + 3.1)
    assert len(truth.breaches) == 1
