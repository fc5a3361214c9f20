"""Treat Lua as source code: format, headers, signatures, luacheck, two Lua versions.

luacheck reads the assembled scripts, because only there every name has its definition. It comes
from the system's packages, so it may be missing on a desk; where `CI` is set it may not.
"""

import argparse
import importlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tools.lua_scripts import ASSEMBLED, LuaFile, assemble, lua_files

STYLUA: Final = Path("tools/node/node_modules/.bin/stylua")
LUA_VERSIONS: Final = {"lua51": "Redis and Valkey", "lua54": "Dragonfly"}

_INCLUDE: Final = re.compile(r"^-- @include (\w+)\n", re.MULTILINE)
_BLOCK: Final = re.compile(r"^-- (keys|args|reply) {2,}\S", re.MULTILINE)
_SCRIPT_INPUT: Final = re.compile(r"\b(KEYS|ARGV)\b")


def main() -> int:
    """Check all, or do one of the errands asked for by a flag."""
    parser = argparse.ArgumentParser(description="Check the Lua of the package.")
    parser.add_argument("--format", action="store_true", help="format the sources, check nothing")
    parser.add_argument("--assemble", action="store_true", help="only write the assembled scripts")
    options = parser.parse_args()
    files = lua_files()
    if options.format:
        return _stylua(files)
    shutil.rmtree(ASSEMBLED, ignore_errors=True)
    for lua_file in files:
        assemble(lua_file)
    if options.assemble:
        print(f"{len(files)} files in {ASSEMBLED}")
        return 0
    findings = list(find(files))
    print(*findings, sep="\n", end="\n" if findings else "")
    return int(any([findings, _stylua(files, "--check"), _luacheck(files)]))


def find(files: list[LuaFile]) -> Iterator[str]:
    """What our own rules and the two Lua compilers say, one line each."""
    yield from _orphans(files)
    for lua_file in files:
        yield from _compile_faults(lua_file)
        yield from helper_faults(lua_file) if lua_file.is_helper else command_faults(lua_file)


def helper_faults(helper: LuaFile) -> Iterator[str]:
    """A helper file is one function, named as the file, with a comment that says why."""
    path, text = helper.path, helper.path.read_text("utf-8")
    defined = re.findall(r"^local function (\w+)", text, re.MULTILINE)
    if defined != [path.stem]:
        yield f"{path}: defines {defined or 'nothing'}, must define exactly {path.stem!r}"
    if not re.search(rf"^-- (?!@include).*\nlocal function {path.stem}\b", text, re.MULTILINE):
        yield f"{path}: no comment right above the function"
    if _SCRIPT_INPUT.search(_code(text)):
        yield f"{path}: reads KEYS or ARGV; the command passes what a helper needs"


def command_faults(command: LuaFile) -> Iterator[str]:
    """A command opens with a header whose blocks name what its signature unpacks."""
    path, text = command.path, command.path.read_text("utf-8")
    header = "".join(re.findall(r"\A(?:--.*\n)+", text))
    blocks = _BLOCK.findall(header)
    if "reply" not in blocks:
        yield f"{path}: the header must end with the blocks `keys`, `args` and `reply`"
    signature = command.script.signature
    for kind, block in (("KEYS", "keys"), ("ARGV", "args")):
        if signature[kind] and block not in blocks:
            yield f"{path}: the header has no block `{block}`"
        if missing := _undescribed(header, signature[kind]):
            yield f"{path}: the header does not describe {missing}"
    if len(_SCRIPT_INPUT.findall(_code(text))) != sum(map(bool, signature.values())):
        yield f"{path}: KEYS and ARGV are unpacked once, at the top, and not read again"


def _undescribed(header: str, names: tuple[str, ...]) -> list[str]:
    """The names a header leaves out; a run of them may be given as `wait_key .. meta_key`."""
    described = set(re.findall(r"\w+", header))
    for first, last in re.findall(r"(\w+) \.\. (\w+)", header):
        if first in names and last in names:
            described.update(names[names.index(first) : names.index(last)])
    return [name for name in names if name not in described]


def _code(text: str) -> str:
    return re.sub(r"--.*", "", text)


def _orphans(files: list[LuaFile]) -> Iterator[str]:
    for helper in files:
        if helper.is_helper and not any(_includes(other, helper) for other in files):
            yield f"{helper.path}: nothing includes it"


def _includes(one: LuaFile, helper: LuaFile) -> bool:
    return one.room == helper.room and helper.path.stem in _INCLUDE.findall(one.path.read_text())


def _compile_faults(lua_file: LuaFile) -> Iterator[str]:
    for version, servers in LUA_VERSIONS.items():
        lua = importlib.import_module(f"lupa.{version}")
        try:
            lua.LuaRuntime().compile(lua_file.script.source)
        except lua.LuaSyntaxError as error:
            yield f"{lua_file.assembled}: {version} ({servers}): {error}"


def _stylua(files: list[LuaFile], *flags: str) -> int:
    return _run(STYLUA, *flags, *(lua_file.path for lua_file in files))


def _luacheck(files: list[LuaFile]) -> int:
    if (luacheck := shutil.which("luacheck")) is None:
        print("luacheck: SKIPPED, it is not installed (Debian: apt-get install lua-check)")
        return int("CI" in os.environ)
    flags = ("--quiet", "--no-color", "--codes", "--no-cache")
    return _run(luacheck, *flags, *(lua_file.assembled for lua_file in files))


def _run(*command: str | Path) -> int:
    sys.stdout.flush()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # node is a wheel
    return subprocess.run(command, env=os.environ | {"PATH": path}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
