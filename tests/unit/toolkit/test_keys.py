"""Names of any letters make keys that no others make."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toril.connection.slots import slot_of
from toril.core.errors import BadInputError
from toril.toolkit.keys import Keys, check_name, check_prefix, tag

LOCKS = Keys("toril", "lk")

WORDS = st.text(min_size=1, max_size=300).filter(lambda word: word.isprintable())
NASTY = st.text(alphabet=":%{}~aé", min_size=1, max_size=6)


def test_a_plain_name_is_legible() -> None:
    assert LOCKS.key("report:2026") == "toril:lk:{report:2026}"
    assert LOCKS.key("report:2026", part="f") == "toril:lk:{report:2026}:f"


def test_what_is_not_plain_is_encoded() -> None:
    assert LOCKS.key("a{b}c~ü") == "toril:lk:{a%7Bb%7Dc%7E%C3%BC}"


def test_a_long_name_is_hashed() -> None:
    key = LOCKS.key("x" * 201)

    assert key.startswith("toril:lk:{~")
    assert len(key) < 60


@given(
    st.lists(NASTY | WORDS, min_size=2, max_size=2), st.lists(NASTY | WORDS, min_size=2, max_size=2)
)
def test_other_words_make_another_name(one: list[str], other: list[str]) -> None:
    assert (tag(*one) == tag(*other)) == (one == other)


@given(NASTY | WORDS, NASTY | WORDS)
def test_all_parts_of_an_object_are_in_one_slot(name: str, part: str) -> None:
    assert slot_of(LOCKS.key(name)) == slot_of(LOCKS.key(name, part=part))


@pytest.mark.parametrize("name", ["", "x" * 513, 5, None, True, b"x", "\ud800"])
def test_a_name_that_is_no_name_is_refused(name: object) -> None:
    with pytest.raises(BadInputError, match="name"):
        check_name(name)


@pytest.mark.parametrize("prefix", ["", "a{b", "ü", 5, b"x", "x" * 65])
def test_a_prefix_that_would_break_keys_is_refused(prefix: object) -> None:
    with pytest.raises(BadInputError, match="prefix"):
        check_prefix(prefix)


def test_without_a_prefix_it_is_the_one_of_the_toolkit() -> None:
    assert check_prefix(None) == "toril"
