"""Every script keeps the form of scripts, and the check of the form sees what breaks it."""

from pathlib import Path

import pytest
from tools.check_lua import find, helper_faults
from tools.lua_scripts import LuaFile, lua_files


def test_every_script_keeps_the_form() -> None:
    files = lua_files()

    assert files
    assert list(find(files)) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("-- Why.\nlocal function bell() end\n", "must define exactly 'ring'"),
        ("local function ring() end\n", "no comment right above"),
        ("-- @include now_ms\nlocal function ring() end\n", "no comment right above"),
        ("-- Why.\nlocal function ring()\n  return KEYS[1]\nend\n", "reads KEYS or ARGV"),
    ],
)
def test_a_fault_of_a_helper_is_reported(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "ring.lua"
    path.write_text(text)

    assert any(fault in found for found in helper_faults(LuaFile(tmp_path, path)))
