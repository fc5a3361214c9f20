"""What a store keeps, for how long, and what it lets go first."""

from typing import Final

from toril.toolkit.cache.level import NEVER
from toril.toolkit.cache.local.store import OVERHEAD_BYTES, Store

MS: Final = 1_000_000


class Clock:
    def __init__(self) -> None:
        self.now_ns = 1_000 * MS

    def __call__(self) -> int:
        self.now_ns += 1
        return self.now_ns


def store(
    *, max_items: int = 100, max_bytes: int = 10**6, clock: Clock | None = None
) -> Store[str]:
    return Store(max_items=max_items, max_bytes=max_bytes, max_ttl_ms=1_000, clock=clock or Clock())


def read(into: Store[str], key: str, value: str, *, ttl_ms: int = 500) -> bool:
    return into.keep(key, value, size=len(value), since_ns=into.now_ns(), ttl_ms=ttl_ms)


def test_it_knows_what_it_was_told() -> None:
    kept = store()

    assert read(kept, "a", "one")

    assert kept.get("a") == "one"
    assert kept.get("b") is None
    assert (kept.counts.hits, kept.counts.misses) == (1, 1)


def test_what_has_changed_is_forgotten() -> None:
    kept = store()
    read(kept, "a", "one")
    read(kept, "b", "two")

    kept.change(["a", "z"])

    assert kept.get("a") is None
    assert kept.get("b") == "two"
    assert kept.counts.changed == 1


def test_what_was_read_before_a_change_and_arrives_after_it_is_refused() -> None:
    kept = store()
    since_ns = kept.now_ns()
    kept.change(["a"])

    assert not kept.keep("a", "old", size=3, since_ns=since_ns, ttl_ms=500)
    assert kept.keep("b", "other", size=5, since_ns=since_ns, ttl_ms=500)
    assert kept.get("a") is None
    assert read(kept, "a", "new")


def test_what_was_read_in_the_very_moment_of_a_change_is_refused() -> None:
    kept: Store[str] = Store(max_items=9, max_bytes=9_000, max_ttl_ms=100, clock=lambda: 7)
    kept.change(["a"])

    assert not kept.keep("a", "old", size=3, since_ns=7, ttl_ms=50)


def test_what_was_read_before_a_flush_is_refused() -> None:
    kept = store()
    since_ns = kept.now_ns()
    read(kept, "a", "one")
    kept.flush()

    assert kept.get("a") is None
    assert not kept.keep("a", "one", size=3, since_ns=since_ns, ttl_ms=500)
    assert len(kept) == kept.size_bytes == 0


def test_whoever_never_began_keeps_nothing() -> None:
    assert not store().keep("a", "one", size=3, since_ns=NEVER, ttl_ms=500)


def test_a_reader_older_than_the_remembered_changes_is_refused() -> None:
    kept = store()
    since_ns = kept.now_ns()
    kept.change(["a"])
    for number in range(5_000):
        kept.change([f"other {number}"])

    assert not kept.keep("a", "old", size=3, since_ns=since_ns, ttl_ms=500)
    assert read(kept, "a", "new")


def test_time_counts_from_the_question_on() -> None:
    clock = Clock()
    kept = store(clock=clock)
    since_ns = kept.now_ns()
    clock.now_ns += 300 * MS
    kept.keep("a", "one", size=3, since_ns=since_ns, ttl_ms=500)

    clock.now_ns += 199 * MS
    assert kept.get("a") == "one"
    clock.now_ns += 1 * MS
    assert kept.get("a") is None
    assert kept.size_bytes == 0


def test_nothing_is_kept_longer_than_allowed() -> None:
    clock = Clock()
    kept = store(clock=clock)
    read(kept, "a", "one", ttl_ms=3_600_000)

    clock.now_ns += 999 * MS
    assert kept.get("a") == "one"
    clock.now_ns += 1 * MS
    assert kept.get("a") is None


def test_an_answer_that_comes_after_its_time_is_refused() -> None:
    clock = Clock()
    kept = store(clock=clock)
    since_ns = kept.now_ns()
    clock.now_ns += 500 * MS

    assert not kept.keep("a", "one", size=3, since_ns=since_ns, ttl_ms=500)


def test_what_was_wanted_again_outlives_what_was_wanted_once() -> None:
    kept = store(max_items=9)
    for key in "abc":
        read(kept, key, key)
        kept.get(key)

    for number in range(1_000):
        read(kept, f"scan {number}", "x")

    assert [kept.get(key) for key in "abc"] == ["a", "b", "c"]
    assert len(kept) == 9


def test_what_comes_always_finds_room_beside_what_is_proven() -> None:
    for max_items in (1, 2, 3, 10):
        kept = store(max_items=max_items)
        for number in range(max_items):
            read(kept, f"{number}", "x")
            kept.get(f"{number}")

        assert read(kept, "new", "x")
        assert kept.get("new") == "x"
        assert len(kept) == max_items


def test_proven_entries_that_nobody_wants_any_more_leave() -> None:
    kept = store(max_items=10)
    for number in range(10):
        read(kept, f"old {number}", "x")
        kept.get(f"old {number}")

    for number in range(20):
        read(kept, f"new {number}", "x")
        kept.get(f"new {number}")

    assert [kept.get(f"old {number}") for number in range(10)] == [None] * 10


def test_bytes_are_bounded_whatever_the_number() -> None:
    kept = store(max_bytes=3 * (OVERHEAD_BYTES + 1_001))
    for key in "abcd":
        read(kept, key, "x" * 1_000)

    assert len(kept) == 3
    assert kept.counts.evicted == 1
    assert not read(kept, "e", "x" * 10_000)
    assert len(kept) == 3


def test_a_newer_answer_takes_the_place_of_an_older_one() -> None:
    kept = store()
    read(kept, "a", "one")
    kept.get("a")
    read(kept, "a", "two")

    assert kept.get("a") == "two"
    assert len(kept) == 1
    assert kept.size_bytes == OVERHEAD_BYTES + 1 + 3


def test_what_depends_on_a_key_is_forgotten_with_it_and_leaves_no_trace() -> None:
    kept = store(max_items=3)
    since_ns = kept.now_ns()
    for key in "abcd":
        kept.keep(key, key, size=1, since_ns=since_ns, ttl_ms=500, depends=("tag", f"tag {key}"))
    kept.change(["tag d"])
    assert [kept.get(key) for key in "abcd"] == [None, "b", "c", None]

    kept.change(["tag"])

    assert len(kept) == kept.size_bytes == 0
    assert kept._dependents == {}
    assert not kept.keep("e", "e", size=1, since_ns=since_ns, ttl_ms=500, depends=("tag",))
