"""For any value: what is accepted reads back equal, and what is refused breaks a stated rule."""

import dataclasses
import json
import math
from datetime import UTC, datetime
from decimal import Decimal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toril.core.codec import decode, encode
from toril.core.errors import BadInputError, UndecodableError

LARGEST_EXACT = 2**53 - 1
MAX_DEPTH = 5


@dataclasses.dataclass
class Box:
    content: object


class Crate(msgspec.Struct):
    content: object


texts = st.text(st.characters(exclude_categories=["Cs"]))
plain_scalars = (
    st.none()
    | st.booleans()
    | st.integers(-LARGEST_EXACT, LARGEST_EXACT)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
odd_scalars = st.sampled_from(
    [
        math.nan,
        -math.inf,
        -0.0,
        2**53,
        -(2**64),
        "\ud800",
        b"bytes",
        frozenset({1}),
        Decimal(1),
        datetime(2026, 1, 1, tzinfo=UTC),
        object(),
    ]
)
odd_keys = st.sampled_from([1, None, 1.5, "\udfff", ("a",)])


def grown(scalars: st.SearchStrategy[object], keys: st.SearchStrategy[object]) -> st.SearchStrategy:
    def extend(inner: st.SearchStrategy[object]) -> st.SearchStrategy:
        return (
            st.lists(inner, max_size=4)
            | st.lists(inner, max_size=4).map(tuple)
            | st.dictionaries(keys, inner, max_size=4)
            | inner.map(Box)
            | inner.map(Crate)
        )

    return st.recursive(scalars, extend, max_leaves=12)


plain_values = st.recursive(
    plain_scalars,
    lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
    max_leaves=30,
)
any_values = grown(plain_scalars | odd_scalars, texts | odd_keys)


def members_of(value: object) -> list[object] | None:
    match value:
        case dict():
            return list(value.values())
        case list() | tuple():
            return list(value)
        case Box(content) | Crate(content=content):
            return [content]
        case _:
            return None


def is_legal(value: object, depth_left: int) -> bool:
    """The rules, as slowly and plainly as they can be said."""
    members = members_of(value)
    if members is not None:
        keys = list(value) if isinstance(value, dict) else []
        return (
            depth_left > 0
            and all(isinstance(key, str) and is_legal(key, 0) for key in keys)
            and all(is_legal(member, depth_left - 1) for member in members)
        )
    if isinstance(value, str):
        return not any("\ud800" <= letter <= "\udfff" for letter in value)
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return abs(value) <= LARGEST_EXACT
    return value is None


def as_read(value: object) -> object:
    members = members_of(value)
    if isinstance(value, dict):
        return {key: as_read(member) for key, member in value.items()}
    if isinstance(value, (Box, Crate)):
        return {"content": as_read(value.content)}
    return value if members is None else [as_read(member) for member in members]


@given(plain_values)
def test_what_is_written_reads_back_equal(value: object) -> None:
    text = encode(value)

    assert decode(text, field="data") == value
    assert json.loads(text) == value


@given(any_values)
def test_exactly_the_legal_values_are_written(value: object) -> None:
    if is_legal(value, MAX_DEPTH):
        text = encode(value, max_depth=MAX_DEPTH)
        assert json.loads(text) == as_read(value)
    else:
        with pytest.raises(BadInputError):
            encode(value, max_depth=MAX_DEPTH)


@given(any_values)
def test_no_negative_zero_is_written(value: object) -> None:
    try:
        text = encode(value)
    except BadInputError:
        return

    numbers: list[str] = []
    json.loads(text, parse_float=lambda digits: numbers.append(digits) or 0.0)
    assert not any(float(digits) == 0 and digits.startswith("-") for digits in numbers)


@given(st.integers())
def test_big_integers_are_kept_to_the_digit_where_allowed(value: int) -> None:
    assert decode(encode(value, big_integers=True), field="data") == value


@given(st.binary() | st.text() | st.text('[]{}":,\\ud8019eE+-. tfn'))
def test_reading_raises_one_error_only(text: bytes | str) -> None:
    try:
        value = decode(text, field="data")
    except UndecodableError:
        return
    assert value == json.loads(text)


@given(st.recursive(plain_scalars | st.text(), st.lists, max_leaves=10))
def test_what_node_escapes_is_read(value: object) -> None:
    as_node_writes = json.dumps(value, ensure_ascii=True)

    assert decode(as_node_writes, field="data") == value
