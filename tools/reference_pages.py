"""Write the reference pages that the code already knows: the API, errors and events.

Run with --check to fail, without writing, when a page is stale.
"""

import argparse
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, TypeVar

from tools.api_page import api_page

import toril
from toril.core.errors import TorilError
from toril.telemetry.events import Event

FOLDER: Final = Path("docs/reference")

ERRORS: Final = """# Errors

Every error toril raises on purpose is a `TorilError`. Its message is made from the data it carries
as attributes. No exception of redis-py leaves toril. A kind of an error is indented below it;
catching the one above catches both.
What to do about each: [Handle errors](../how-to/handle-errors.md).

| error | what it says | attributes |
|---|---|---|
"""

EVENTS: Final = """# Events

What toril reports while it works; logs, metrics and traces are made from these. Events carry names,
ids and numbers, never a job's data or result. Classes and fields are a public contract.
How to listen: [Watch what happens](../how-to/watch-what-happens.md).

| event | what happened | fields |
|---|---|---|
"""

T = TypeVar("T")


def main() -> int:
    """Write the pages, or say which is stale."""
    parser = argparse.ArgumentParser(description="Write docs/reference from the code.")
    parser.add_argument("--check", action="store_true", help="only say what is stale")
    checks = parser.parse_args().check
    stale = [path for path, text in pages().items() if _read(path) != text]
    for path in stale:
        print("stale" if checks else "wrote", path)
        if not checks:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(pages()[path], "utf-8")
    return int(checks and bool(stale))


def pages() -> dict[Path, str]:
    """The pages and what they must say."""
    for module in pkgutil.walk_packages(toril.__path__, "toril."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    return {
        FOLDER / "api.md": api_page(),
        FOLDER / "errors.md": ERRORS + "".join(_error_rows()),
        FOLDER / "events.md": EVENTS + "".join(_event_rows()),
    }


def tree(root: type[T], depth: int = 0) -> Iterator[tuple[type[T], int]]:
    """Every class below `root`, with its depth, parents first."""
    for child in sorted(root.__subclasses__(), key=lambda child: child.__name__):
        yield child, depth
        yield from tree(child, depth + 1)


def _error_rows() -> Iterator[str]:
    for error, depth in tree(TorilError):
        told = inspect.getdoc(error) or ""
        hint = f" Hint: {error.hint}" if error.hint else ""
        yield _row(error.__name__, depth, _one_line(told) + hint, _attributes(error))


def _attributes(error: type[TorilError]) -> list[str]:
    construct = error.__init__
    source = inspect.getsource(construct) if inspect.isfunction(construct) else ""
    return re.findall(r"self\.(\w+) = ", source)


def _event_rows() -> Iterator[str]:
    for event, depth in tree(Event):
        told = _one_line(inspect.getdoc(event) or "")
        yield _row(event.__name__, depth, told, event.__struct_fields__)


def _row(name: str, depth: int, told: str, names: Iterable[str]) -> str:
    indent = "&emsp;" * depth
    attributes = ", ".join(f"`{one}`" for one in names)
    return f"| {indent}`{name}` | {told} | {attributes} |\n"


def _one_line(text: str) -> str:
    return " ".join(text.partition("\n\n")[0].split())


def _read(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
