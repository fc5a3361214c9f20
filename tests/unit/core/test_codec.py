"""toril writes only JSON that reads back as what it was, and reads whatever Node may write."""

import dataclasses
import enum
import sys
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import NamedTuple
from uuid import UUID

import msgspec
import pytest

from toril.core.codec import MAX_OPTIONS_DEPTH, check_size, decode, encode
from toril.core.errors import BadInputError, UndecodableError


class Pair(NamedTuple):
    left: int
    right: int


class Colour(enum.Enum):
    RED = "red"


class Word(enum.StrEnum):
    HELLO = "hello"


class Level(enum.IntEnum):
    HIGH = 3
    BEYOND = 2**60


class SafeText(str):
    __slots__ = ()


class Count(int):
    pass


class Ratio(float):
    pass


class Bag(dict[str, object]):
    pass


@dataclasses.dataclass
class Letter:
    to: str
    body: object = None


class Parcel(msgspec.Struct, rename="camel"):
    sent_to: str
    content: object = msgspec.UNSET


def nested(levels: int) -> object:
    value: object = "bottom"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (0, "0"),
        (2**53 - 1, "9007199254740991"),
        (-(2**53) + 1, "-9007199254740991"),
        (1.5, "1.5"),
        (0.0, "0.0"),
        ("é\u2028\x00", '"é\u2028\\u0000"'),
        ([], "[]"),
        ((1, "a"), '[1,"a"]'),
        (Pair(1, 2), "[1,2]"),
        ({"a": [1, {"b": None}]}, '{"a":[1,{"b":null}]}'),
        ({"__proto__": 1, "constructor": 2}, '{"__proto__":1,"constructor":2}'),
        (OrderedDict(b=1, a=2), '{"b":1,"a":2}'),
        (Bag(a=1), '{"a":1}'),
        (SafeText("<b>"), '"<b>"'),
        ({SafeText("k"): Count(3)}, '{"k":3}'),
        (Ratio(0.5), "0.5"),
        (Word.HELLO, '"hello"'),
        ([Level.HIGH], "[3]"),
        (Letter("ada", {"cc": []}), '{"to":"ada","body":{"cc":[]}}'),
        (Letter("ada", msgspec.UNSET), '{"to":"ada"}'),
        (Parcel("ada"), '{"sentTo":"ada"}'),
        ([Parcel("ada", (1,))], '[{"sentTo":"ada","content":[1]}]'),
    ],
)
def test_what_json_has_is_written_compactly(value: object, text: str) -> None:
    assert encode(value).decode() == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-0.0, "0"),
        ([-0.0, -0.05, "-0.0", '"-0.0\\'], '[0,-0.05,"-0.0","\\"-0.0\\\\"]'),
        ({"-0.0": -0.0}, '{"-0.0":0}'),
        (Letter("ada", -0.0), '{"to":"ada","body":0}'),
    ],
)
def test_negative_zero_is_written_as_node_writes_it(value: object, text: str) -> None:
    assert encode(value).decode() == text


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        -float("inf"),
        2**53,
        -(2**53),
        2**70,
        10**5000,
        Level.BEYOND,
        Count(2**60),
        "\ud800",
        SafeText("\udfff"),
        b"bytes",
        bytearray(b"bytes"),
        memoryview(b"bytes"),
        {1, 2},
        frozenset(),
        Decimal(1),
        datetime.now(UTC),
        date(2026, 1, 1),
        time(1),
        timedelta(1),
        UUID(int=1),
        Colour.RED,
        object(),
        Letter,
        Parcel,
        range(3),
        iter([]),
        {}.keys(),
        1j,
        ...,
        msgspec.Raw(b"NaN"),
        {1: "a"},
        {None: "a"},
        {True: "a"},
        {1.5: "a"},
        {("a", "b"): "c"},
        {b"a": "b"},
        {UUID(int=1): "a"},
        {Colour.RED: "a"},
        {"\ud800": "a"},
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize(
    "place",
    [
        lambda value: value,
        lambda value: {"items": ["fine", {"deep": value}]},
        lambda value: (value,),
        lambda value: Letter("ada", value),
        lambda value: [Parcel("ada", [value])],
        lambda value: Bag(a=[value]),
    ],
    ids=["alone", "in a dict", "in a tuple", "in a dataclass", "in a struct", "in a subclass"],
)
def test_what_the_other_side_would_read_as_something_else_is_refused(
    value: object, place: Callable[[object], object]
) -> None:
    with pytest.raises(BadInputError):
        encode(place(value))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            {"items": [0, 1, 2, {"when": datetime.now(UTC)}]},
            "data.items[3].when: is of type datetime, which JSON does not have: pass its",
        ),
        ({"two words": {1}}, "data['two words']: is of type set, which JSON does not have"),
        (Letter("ada", [b""]), "data.body[0]: is of type bytes"),
        (Parcel("ada", Colour.RED), "data.content: is the enum member Colour.RED: pass its value"),
        ([{"a": {7: 1}}], "data[0].a: has a key of type int: use strings"),
        ([float("nan")], "data[0]: is nan"),
        ({"n": 2**53}, "data.n: is an integer beyond 2^53-1"),
        ({"s": "\ud800"}, "data.s: holds a lone surrogate"),
        ({"k" * 100: {1}}, "data." + "k" * 40 + ": is of type set"),
    ],
)
def test_a_refusal_names_the_path_and_the_problem(value: object, message: str) -> None:
    with pytest.raises(BadInputError) as refusal:
        encode(value)

    assert str(refusal.value).startswith(message)


def test_the_field_is_the_root_of_the_path() -> None:
    with pytest.raises(BadInputError, match=r"^returned\.at: ") as refusal:
        encode({"at": {1}}, field="returned")

    assert refusal.value.field == "returned.at"


def test_integers_beyond_2_53_are_written_where_they_are_allowed() -> None:
    assert encode([2**53, -(2**70)], big_integers=True) == b"[9007199254740992,%d]" % -(2**70)


def test_an_integer_that_no_double_reaches_is_never_written() -> None:
    largest = int(sys.float_info.max)

    assert encode(largest, big_integers=True) == str(largest).encode()
    with pytest.raises(BadInputError, match="no JavaScript number"):
        encode(largest + 1, big_integers=True)


def test_depth_is_counted_in_containers() -> None:
    assert decode(encode(nested(200)), field="data") == nested(200)
    with pytest.raises(BadInputError, match="nested deeper than 200 levels"):
        encode(nested(201))


def test_the_limit_of_depth_is_the_callers() -> None:
    assert encode(nested(64), max_depth=MAX_OPTIONS_DEPTH)
    with pytest.raises(BadInputError, match="nested deeper than 64 levels"):
        encode(nested(65), max_depth=MAX_OPTIONS_DEPTH)


@pytest.mark.parametrize("levels", [1_000, 100_000])
def test_a_bottomless_value_is_refused_without_a_crash(levels: int) -> None:
    with pytest.raises(BadInputError, match="nested deeper"):
        encode(nested(levels))


@pytest.mark.parametrize("copies", [1, 2, 10])
def test_a_value_that_contains_itself_is_refused(copies: int) -> None:
    loop: list[object] = []
    loop.extend([loop] * copies)

    with pytest.raises(BadInputError, match=r"data\.a\[0\]: contains itself"):
        encode({"a": loop})


def test_one_value_in_two_places_is_not_a_loop() -> None:
    shared = [-0.0]

    assert encode({"a": shared, "b": shared}) == b'{"a":[0],"b":[0]}'


def test_a_call_stack_without_room_is_an_error_of_ours() -> None:
    def encode_from_depth(levels: int) -> object:
        return encode_from_depth(levels - 1) if levels else encode(nested(199))

    with ThreadPoolExecutor(1) as fresh_stack, pytest.raises(BadInputError):
        fresh_stack.submit(encode_from_depth, sys.getrecursionlimit() - 100).result()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b'{"a":[1,2.5,null,true,"x"]}', {"a": [1, 2.5, None, True, "x"]}),
        ('{"a":1}', {"a": 1}),
        (b" [1] \n", [1]),
        (b'{"a":1,"a":2}', {"a": 2}),
        (b'"\\ud800"', "\ud800"),
        (b'{"\\udfff":["\\ud83d\\ude00"]}', {"\udfff": ["😀"]}),
        ('"\ud800"', "\ud800"),
        (b"9" * 400, int("9" * 400)),
        (b"1e308", 1e308),
        (b"1e-400", 0.0),
    ],
)
def test_what_node_writes_is_read(text: bytes | str, value: object) -> None:
    assert decode(text, field="data") == value


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[1,]",
        b"undefined",
        b"NaN",
        b"[Infinity]",
        b"-Infinity",
        b"1e400",
        b"[-1e999]",
        b"9" * 5000,
        b"\xef\xbb\xbf1",
        "\ufeff1",
        b'"\xff"',
        b'"\xed\xa0\x80"',
        b"\x00",
        b'"\n"',
        b"[" * 200_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'"\\ud800" x',
    ],
    ids=lambda text: repr(text[:16]),
)
def test_what_is_not_json_has_one_error(text: bytes | str) -> None:
    with pytest.raises(UndecodableError, match=r"^data cannot be read: ") as refusal:
        decode(text, field="data")

    assert refusal.value.field == "data"


def test_a_size_within_the_limit_is_accepted() -> None:
    check_size(10 * 2**20, field="data")


@pytest.mark.parametrize(
    ("size_bytes", "message"),
    [
        (round(12.3 * 2**20), "data: 12.3 MiB exceeds the limit of 10 MiB"),
        (10 * 2**20 + 1, "data: 10.1 MiB exceeds the limit of 10 MiB"),
    ],
)
def test_a_size_beyond_the_limit_is_refused_with_both(size_bytes: int, message: str) -> None:
    with pytest.raises(BadInputError) as refusal:
        check_size(size_bytes, field="data")

    assert str(refusal.value) == message
