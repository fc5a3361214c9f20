"""Jobs as a foreign client, a bug or a half-written restore may leave them in Redis."""

from collections.abc import Mapping
from typing import Final, TypeAlias

Fields: TypeAlias = Mapping[str, str | bytes]

_DEEP: Final = "[" * 100_000 + "]" * 100_000

_DATA: Final[Mapping[str, str | bytes]] = {
    "data that breaks off": '{"do": "sle',
    "data without quotes": "{do: sleep}",
    "data in single quotes": "{'do': 'sleep'}",
    "empty data": "",
    "data of blanks": "   ",
    "data that is undefined": "undefined",
    "data of an object's name": "[object Object]",
    "data that is NaN": "NaN",
    "data with NaN in it": '{"do": NaN}',
    "infinite data": '{"do": -Infinity}',
    "data with a comma too many": '{"do": "sleep",}',
    "data twice": "{} {}",
    "data with a byte order mark": b"\xef\xbb\xbf{}",
    "data in another encoding": b'{"do": "\xff\xfe"}',
    "data with a bare control character": '{"do": "a\nb"}',
    "data that ends in NUL": "{}\x00",
    "data of 100,000 levels": _DEEP,
    "packed data": b"\x81\xa2do\xa5sleep",
}
_OPTS: Final[Mapping[str, str | bytes]] = {
    "opts that break off": '{"attempts": ',
    "empty opts": "",
    "opts that are a list": "[]",
    "opts that are a number": "3",
    "opts that are a text": '"attempts"',
    "opts that are null": "null",
    "opts that are NaN": "NaN",
    "opts of 100,000 levels": _DEEP,
    "opts in another encoding": b'{"attempts": "\xff"}',
}
_SOUND: Final[Fields] = {"name": "broken", "data": "{}", "opts": "{}", "timestamp": "1"}

UNDECODABLE: Final[Mapping[str, Fields]] = {
    **{kind: {**_SOUND, "data": text} for kind, text in _DATA.items()},
    **{kind: {**_SOUND, "opts": text} for kind, text in _OPTS.items()},
    "no name": {"data": "{}", "opts": "{}", "timestamp": "1"},
    "neither name nor data": {"opts": "{}", "timestamp": "1"},
    "everything broken": {"name": b"\xff", "data": "{", "opts": "{", "timestamp": "soon"},
}
"""Kind to the hash: there is a job, and it cannot be run."""

FOREIGN: Final[Mapping[str, Fields]] = {
    "only fields of a stranger": {"colour": "red"},
    "only counters": {"atm": "1", "ats": "2"},
}
"""Kind to the hash: it is not a job at all."""
