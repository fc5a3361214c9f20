"""Run the Python of one page from top to bottom, as a reader would who types it in.

    python -m tests.docs.play docs/how-to/retry-failed-jobs.md

Blocks continue each other. A bare `await` works, as in `python -m asyncio`. A `text output` block
is what the block before it must print, with `…` for what may differ. `python file=app.py` is
written to the current folder instead of run. Wherever a page says `redis://localhost:6379`, the
server of `TORIL_URL` stands in for it.
"""

import ast
import asyncio
import inspect
import io
import os
import re
import sys
import types
from contextlib import redirect_stdout
from pathlib import Path
from typing import Final

from tests.docs.markdown import Block, Page

LOCALHOST: Final = "redis://localhost:6379"


class OutputError(Exception):
    """A block printed something else than its page says."""


def play(page: Page, runner: asyncio.Runner) -> None:
    """Run every block of the page, in one namespace."""
    module = types.ModuleType("__page__")
    sys.modules["__page__"] = module
    printed = ""
    for block in page.blocks:
        if block.language == "python" and (file := block.word("file")):
            Path(file).write_text(block.text, "utf-8")
        elif block.language == "python":
            printed = _run(block, page, module, runner)
        elif "output" in block.words:
            _compare(block, page, printed)


def _run(block: Block, page: Page, module: types.ModuleType, runner: asyncio.Runner) -> str:
    # Empty lines in front, so that a traceback shows the lines of the page.
    source = "\n" * (block.line - 1) + block.text
    source = source.replace(LOCALHOST, os.environ["TORIL_URL"])
    code = compile(source, page.path, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    with redirect_stdout(io.StringIO()) as printed:
        if code.co_flags & inspect.CO_COROUTINE:
            runner.run(_awaited(code, module))
        else:
            exec(code, vars(module))  # noqa: S102 - the pages are ours
    return printed.getvalue()


async def _awaited(code: types.CodeType, module: types.ModuleType) -> None:
    await types.FunctionType(code, vars(module))()


def _compare(block: Block, page: Page, printed: str) -> None:
    wanted = ".*?".join(re.escape(part) for part in block.text.strip().split("…"))
    if not re.fullmatch(wanted, printed.strip(), re.DOTALL):
        message = f"{page.name}:{block.line}: the page says\n{block.text}and not\n{printed}"
        raise OutputError(message)


def main() -> None:
    """Play the page that the command line names."""
    sys.path.insert(0, str(Path.cwd()))
    with asyncio.Runner() as runner:
        play(Page(Path(sys.argv[1]).resolve()), runner)


if __name__ == "__main__":
    main()
