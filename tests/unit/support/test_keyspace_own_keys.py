"""What toril keeps beside a queue is known by name and type, and always ends."""

import pytest
from tests.support.keyspace import Key, Snapshot
from tests.support.keyspace.own_keys import own_base, own_key_problems

BASE = "toril:{mail}:bull:{mail}:"


@pytest.mark.parametrize(
    ("part", "key", "laws"),
    [
        ("fence:w1:x0", Key("string", "7", 1000), []),
        ("fence:w1:x0", Key("string", "7"), ["T2"]),
        ("fence:w1:x0", Key("hash", {"a": "b"}, 1000), ["T1"]),
        ("once:order:7", Key("string", "1", 1000), []),
        ("mystery", Key("string", "7", 1000), ["T1"]),
    ],
)
def test_an_own_key_is_judged_by_name_type_and_end(part: str, key: Key, laws: list[str]) -> None:
    snapshot = Snapshot(0, {BASE + part: key})

    assert [law for law, _, _ in own_key_problems(snapshot, BASE)] == laws


@pytest.mark.parametrize(
    ("base", "own"),
    [
        ("bull:mail:", "toril:{}:bull:mail:"),
        ("bull:{mail}:", BASE),
        ("{app}:mail:", "toril:{app}:{app}:mail:"),
    ],
)
def test_own_keys_are_in_the_slot_of_their_queue(base: str, own: str) -> None:
    assert own_base(base) == own
