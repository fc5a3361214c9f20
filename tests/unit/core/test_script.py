"""A script is assembled once, known by its text, and called by the names in it."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from toril.core.errors import ScriptSignatureError
from toril.core.operation import ScriptCall
from toril.core.script import Script

HELPERS = {
    "double": "-- Twice.\nlocal function double(n)\n  return 2 * n\nend\n",
    "quadruple": (
        "-- @include double\n\nlocal function quadruple(n)\n  return double(double(n))\nend\n"
    ),
}

COMMAND = """-- A command.
local first_key, second_key =
  unpack(KEYS)
local amount = unpack(ARGV)

-- @include quadruple
-- @include double

return quadruple(amount)
"""


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A package with one command and two helpers, one of which needs the other."""
    package = tmp_path / "a_room_of_scripts"
    (package / "shared").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "moment").mkdir()
    (package / "moment" / "verb.lua").write_text(COMMAND)
    (package / "plain.lua").write_text("return 1\n")
    for name, text in HELPERS.items():
        (package / "shared" / f"{name}.lua").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield "a_room_of_scripts"
    sys.modules.pop("a_room_of_scripts", None)


def test_every_include_is_taken_in_once_and_before_its_use(room: str) -> None:
    source = Script(room, "moment/verb").source

    assert source.count("local function double") == 1
    assert source.index("local function double") < source.index("local function quadruple")
    assert "@include" not in source


def test_the_unpack_lines_are_the_signature(room: str) -> None:
    script = Script(room, "moment/verb")

    assert script.signature == {"KEYS": ("first_key", "second_key"), "ARGV": ("amount",)}


def test_a_script_without_unpack_lines_takes_nothing(room: str) -> None:
    call = ScriptCall(Script(room, "plain"), keys={}, args={})

    assert (call.all_keys, call.arguments) == ([], [])


def test_values_come_in_the_order_of_the_script_whatever_the_order_of_the_call(room: str) -> None:
    call = ScriptCall(
        Script(room, "moment/verb"),
        keys={"second_key": "b", "first_key": "a"},
        args={"amount": 3},
        touches=("c",),
    )

    assert call.all_keys == ["a", "b", "c"]
    assert call.arguments == [3]


@pytest.mark.parametrize(
    "keys", [{}, {"first_key": "a"}, {"first_key": "a", "second_key": "b", "third_key": "c"}]
)
def test_other_names_than_the_script_declares_are_refused(room: str, keys: dict[str, str]) -> None:
    call = ScriptCall(Script(room, "moment/verb"), keys=keys, args={"amount": 3})

    with pytest.raises(ScriptSignatureError, match="moment/verb takes") as refusal:
        _ = call.all_keys

    assert refusal.value.script == "moment/verb"


def test_the_digest_follows_the_text(room: str) -> None:
    assert Script(room, "plain").sha == Script(room, "plain").sha
    assert Script(room, "plain").sha != Script(room, "moment/verb").sha
    assert Script(room, "plain").sha[:8] in repr(Script(room, "plain"))


def test_the_scripts_of_a_room_know_each_other(room: str) -> None:
    verb, plain = Script(room, "moment/verb"), Script(room, "plain")

    assert {verb, plain} <= set(verb.room)
    assert set(verb.room) == set(plain.room)
