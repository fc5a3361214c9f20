"""JSON as it is stored: strict in what toril writes, tolerant in what it reads.

msgspec alone writes NaN as null and takes sets, bytes, Decimal and 2^70 without a word, and the
reader on the other side gets something else. `json_rules` stands between.
"""

import json
import math
import re
from typing import Final, NoReturn

import msgspec

from toril.core.errors import BadInputError, UndecodableError
from toril.core.json_rules import LARGEST_DOUBLE, LARGEST_EXACT, check, is_plain

MAX_DATA_DEPTH: Final = 200
"""How deep data, results and progress may be nested."""

MAX_OPTIONS_DEPTH: Final = 64
"""How deep options may be nested: scripts read them with cjson, which has a limit of its own."""

MAX_DATA_BYTES: Final = 10 * 2**20
"""How much JSON one job may be: its data and its options together."""

_MIB: Final = 2**20

# A string is taken whole, so that a `-0.0` inside of one is left alone.
_STRING_OR_NEGATIVE_ZERO: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|-0\.0(?![0-9e])')


def encode(
    value: object,
    *,
    field: str = "data",
    big_integers: bool = False,
    max_depth: int = MAX_DATA_DEPTH,
) -> bytes:
    """The value as compact JSON that every reader takes for the same value.

    Dicts with string keys, lists, tuples (as lists), strings, booleans, None and finite numbers
    are welcome, and so are subclasses of those, dataclasses and msgspec Structs. Everything else
    is refused, as are integers beyond 2^53-1 (unless `big_integers`) and lone surrogates.
    `-0.0` is written as `0`, as JSON.stringify does.

    Raises:
        BadInputError: names the path, such as `data.items[3].when`, and what is wrong there.
    """
    largest = LARGEST_DOUBLE if big_integers else LARGEST_EXACT
    try:
        text = _encode(value)
        if is_plain(value, largest=largest, max_depth=max_depth):
            return text
    except (TypeError, ValueError, RecursionError, OverflowError, msgspec.MsgspecError) as error:
        check(value, field, largest=largest, max_depth=max_depth)
        raise BadInputError(field, f"cannot be written as JSON: {error}") from error
    check(value, field, largest=largest, max_depth=max_depth)
    return _STRING_OR_NEGATIVE_ZERO.sub(_without_sign, text)


def decode(text: bytes | str, *, field: str) -> object:
    """Read JSON that toril or Node wrote, lone surrogates included.

    Raises:
        UndecodableError: the only error it raises, whatever the text is.
    """
    try:
        return _decode(text)
    except (ValueError, RecursionError, msgspec.MsgspecError):
        return _decode_oddity(text, field)


def check_size(size_bytes: int, *, field: str, limit_bytes: int = MAX_DATA_BYTES) -> None:
    """Refuse what is too large, saying how large it is and may be.

    Raises:
        BadInputError: `12.3 MiB exceeds the limit of 10 MiB`.
    """
    if size_bytes > limit_bytes:
        # One byte too many must not read "10 MiB exceeds the limit of 10 MiB".
        tenths = max(round(size_bytes * 10 / _MIB), limit_bytes * 10 // _MIB + 1)
        raise BadInputError(
            field, f"{tenths / 10:g} MiB exceeds the limit of {limit_bytes / _MIB:g} MiB"
        )


def _exact(value: object) -> object:
    """What a subclass of a built-in scalar is, for msgspec, which takes exact types only."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
    raise TypeError(type(value).__qualname__)


_encode: Final = msgspec.json.Encoder(enc_hook=_exact).encode
_decode: Final = msgspec.json.Decoder().decode


def _without_sign(match: re.Match[bytes]) -> bytes:
    return match[0] if match[0].startswith(b'"') else b"0"


def _decode_oddity(text: bytes | str, field: str) -> object:
    """Read what msgspec refuses and Node writes: escaped lone surrogates, very long integers."""
    try:
        # Decoded here because json.loads would guess UTF-16 and skip a byte order mark.
        text = text if isinstance(text, str) else text.decode()
        return json.loads(text, parse_float=_finite, parse_constant=_refuse_constant)
    except RecursionError:
        raise UndecodableError(field, "it is nested too deeply") from None
    except ValueError as error:
        raise UndecodableError(field, f"it is not JSON: {error}") from error


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError("a number out of range")
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
