"""Hold every file to its size: what is too long is two things.

Limits, not aims; `CONTRIBUTING.md` has the aims. Complexity is ruff's to count, and is counted
here once more without regard to `noqa`, so that no exception goes unseen.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Final, TypeAlias

from tools.lua_scripts import LuaFile, lua_files

FILE_LINES: Final = 400
FUNCTION_LINES: Final = 40
PARAMETERS: Final = 6
PUBLIC_METHODS: Final = 15
LUA_COMMAND_LINES: Final = 120
LUA_HELPER_LINES: Final = 60
LUA_ASSEMBLED_LINES: Final = 600
LUA_PARAMETERS: Final = 5
VAGUE_NAMES: Final = {"utils", "helpers", "common", "misc", "base", "manager", "types", "models"}

ROOTS: Final = ("src", "tests", "tools", "examples", "benchmarks")
GENERATED: Final = "# generated from"

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


def main() -> int:
    """Print what is over its budget, one line each."""
    findings = list(chain(python_faults(), lua_faults()))
    print(*findings, sep="\n", end="\n" if findings else "")
    ruff = [sys.executable, "-m", "ruff", "check", "--quiet", "--ignore-noqa", "--select", "C901"]
    return int(any([findings, subprocess.run(ruff, check=False).returncode]))


def python_faults() -> Iterator[str]:
    """What the Python files have too much of, and modules with a name that says nothing."""
    for path in sorted(chain.from_iterable(Path(root).rglob("*.py") for root in ROOTS)):
        text = path.read_text("utf-8")
        if "node_modules" in path.parts or GENERATED in text.partition("\n")[0]:
            continue
        yield from text_faults(path, text)


def text_faults(path: Path, text: str) -> Iterator[str]:
    """What this Python text has too much of."""
    if path.stem in VAGUE_NAMES:
        yield f"{path}: a module is named by its noun or its verb, not {path.stem!r}"
    yield from _over(f"{path}", len(text.splitlines()), FILE_LINES, "lines")
    for node in ast.walk(ast.parse(text, str(path))):
        where = f"{path}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, Function):
            yield from _over(f"{where} {node.name}", _lines(node), FUNCTION_LINES, "lines")
            yield from _over(f"{where} {node.name}", _parameters(node), PARAMETERS, "parameters")
        elif isinstance(node, ast.ClassDef):
            count = len(_public_methods(node))
            yield from _over(f"{where} {node.name}", count, PUBLIC_METHODS, "public methods")


def lua_faults() -> Iterator[str]:
    """What the Lua files, and the scripts assembled from them, have too much of."""
    for lua_file in lua_files():
        yield from _lua_file_faults(lua_file)


def _lua_file_faults(lua_file: LuaFile) -> Iterator[str]:
    text = lua_file.path.read_text("utf-8")
    limit = LUA_HELPER_LINES if lua_file.is_helper else LUA_COMMAND_LINES
    yield from _over(f"{lua_file.path}", len(text.splitlines()), limit, "lines")
    assembled = len(lua_file.script.source.splitlines())
    yield from _over(f"{lua_file.assembled}", assembled, LUA_ASSEMBLED_LINES, "lines")
    for name, parameters in re.findall(r"\bfunction\s*([\w.:]*)\s*\(([^)]*)\)", text):
        count = len(parameters.split(",")) if parameters.strip() else 0
        yield from _over(f"{lua_file.path} {name}", count, LUA_PARAMETERS, "parameters")


def _over(where: str, count: int, limit: int, of_what: str) -> Iterator[str]:
    if count > limit:
        yield f"{where}: {count} {of_what}, at most {limit}"


def _lines(function: Function) -> int:
    """Lines from `def` to the end, without the docstring."""
    docstring = function.body[0] if ast.get_docstring(function) is not None else None
    unread = (docstring.end_lineno or 0) - docstring.lineno + 1 if docstring else 0
    return (function.end_lineno or 0) - function.lineno + 1 - unread


def _parameters(function: Function) -> int:
    spec = function.args
    names = [one.arg for one in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]
    variadic = sum(one is not None for one in (spec.vararg, spec.kwarg))
    return len(names) - (names[:1] in (["self"], ["cls"])) + variadic


def _public_methods(cls: ast.ClassDef) -> set[str]:
    """Names of what the class can do; what it merely knows, its properties, is free."""
    return {
        node.name
        for node in cls.body
        if isinstance(node, Function)
        and not node.name.startswith("_")
        and not any("property" in ast.unparse(one) for one in node.decorator_list)
    }


if __name__ == "__main__":
    sys.exit(main())
