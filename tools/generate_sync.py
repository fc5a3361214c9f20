"""Write every `_sync` room from its `_async` twin, token by token.

Line numbers are kept: line 40 of `_sync/line.py` is line 40 of `_async/line.py`. A word that has no
synchronous form is refused, and that refusal is the architecture: concurrency may not live in a
shell. What cannot be generated is written by hand on both sides and listed in `BY_HAND`.

    python -m tools.generate_sync            write what is stale, delete what has no twin
    python -m tools.generate_sync --check    write nothing, fail when there is something to do
"""

import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOTS: Final = ("src", "tests")

BY_HAND: Final = frozenset(
    {
        "src/toril/bullmq/_async/finish_watch.py",
        "src/toril/connection/_async/channel.py",
        "src/toril/connection/_async/coalescer.py",
        "src/toril/connection/_async/pause.py",
        "src/toril/toolkit/cache/_async/flights.py",
        "src/toril/toolkit/_async/function.py",
        "src/toril/toolkit/leases/_async/body.py",
        "src/toril/toolkit/leases/_async/listener.py",
        "src/toril/toolkit/leases/_async/signal.py",
        "src/toril/toolkit/redlock/_async/together.py",
    }
)

DROPPED: Final = frozenset({"async", "await"})

RENAMED: Final = {
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "__aiter__": "__iter__",
    "__anext__": "__next__",
    "StopAsyncIteration": "StopIteration",
    "anext": "next",
    "_async": "_sync",
    "asynccontextmanager": "contextmanager",
}

_PREFIX: Final = re.compile(r"\b(_*)Async(?=[A-Z])")
_WORDS: Final = re.compile(r"\b(?:async|await) ")
_LEFTOVER: Final = re.compile(
    r"_*(?:Async[A-Z]\w*|async(?:io|_\w+)?|await|a(?:iter|next|close))|\w+_async"
)
_STRINGS: Final = frozenset(
    {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
)


class NoSyncFormError(Exception):
    """A word of the source cannot be said without an event loop."""


def twin_of(source: Path) -> Path:
    """Where the generated file of this source goes."""
    return Path(*("_sync" if part == "_async" else part for part in source.parts))


def to_sync(text: str, source: Path, used: Counter[str]) -> str:
    """The synchronous text; counts the rules it used."""
    lines = text.splitlines(keepends=True)
    # From the end, so that the columns of what is still to come stay true.
    for token in reversed(list(tokenize.generate_tokens(io.StringIO(text).readline))):
        if token.type == tokenize.NAME:
            _replace_name(lines, token, used)
        elif token.type in _STRINGS:
            _replace_in_text(lines, token)
    result = _with_notice("".join(lines), source)
    _refuse_leftovers(result, source)
    return result


def _replace_name(lines: list[str], token: tokenize.TokenInfo, used: Counter[str]) -> None:
    name = token.string
    (row, start), (_, end) = token.start, token.end
    line = lines[row - 1]
    if name in DROPPED:
        lines[row - 1] = line[:start] + line[end:].removeprefix(" ")
        return
    if name in RENAMED:
        used[name] += 1
    lines[row - 1] = line[:start] + RENAMED.get(name, _PREFIX.sub(r"\1", name)) + line[end:]


def _replace_in_text(lines: list[str], token: tokenize.TokenInfo) -> None:
    is_prose = token.type == tokenize.COMMENT or token.string.startswith('"""')
    for row in range(token.start[0] - 1, token.end[0]):
        start = token.start[1] if row == token.start[0] - 1 else 0
        end = token.end[1] if row == token.end[0] - 1 else len(lines[row])
        text = _PREFIX.sub(r"\1", lines[row][start:end]).replace("_async", "_sync")
        if is_prose:
            text = _WORDS.sub("", text)
        lines[row] = lines[row][:start] + text + lines[row][end:]


def _with_notice(text: str, source: Path) -> str:
    """Say in the first line where it comes from, without adding a line."""
    if not text:
        return text
    first, rest = text.split("\n", 1)
    place = "/".join(source.parts[source.parts.index("_async") :])
    notice = f"generated from {place} by tools/generate_sync.py: edit that file"
    inside_docstring = first.startswith('"""') and first.count('"""') == 1
    return f"{first} [{notice}]\n{rest}" if inside_docstring else f"{first}  # {notice}\n{rest}"


def _refuse_leftovers(text: str, source: Path) -> None:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME and _LEFTOVER.fullmatch(token.string):
            raise NoSyncFormError(f"{source}:{token.start[0]}: {token.string} has no sync form")


def sources(root: Path) -> Iterator[Path]:
    """Every file to generate a twin of."""
    for source in sorted(root.rglob("_async/**/*.py")):
        if source.as_posix() not in BY_HAND:
            yield source


def orphans(root: Path) -> Iterator[Path]:
    """Every file in a `_sync` room that has no twin."""
    for file in sorted(root.rglob("_sync/**/*.py")):
        twin = Path(*("_async" if part == "_sync" else part for part in file.parts))
        if not twin.exists():
            yield file


def complaints_about_rules(used: Counter[str]) -> Iterator[str]:
    """Rules that nothing needs, and pairs that are not pairs."""
    for name in RENAMED:
        if not used[name]:
            yield f"unused rule: {name}"
    for source in map(Path, sorted(BY_HAND)):
        for half in (source, twin_of(source)):
            if not half.exists():
                yield f"missing half of a hand-written pair: {half}"


def bring_up_to_date(roots: tuple[str, ...], *, check: bool) -> list[str]:
    """What is out of date, in words; brought up to date unless it is only a check."""
    complaints: list[str] = []
    used: Counter[str] = Counter()
    for root in map(Path, roots):
        for source in sources(root):
            complaints += _renew(source, used, check=check)
        for orphan in orphans(root):
            complaints.append(f"no twin: {orphan}" if check else f"deleted {orphan}")
            if not check:
                orphan.unlink()
    return [*complaints, *complaints_about_rules(used)]


def _renew(source: Path, used: Counter[str], *, check: bool) -> Iterator[str]:
    target = twin_of(source)
    try:
        text = to_sync(source.read_text("utf-8"), source, used)
    except NoSyncFormError as error:
        yield f"{error}"
        return
    if target.exists() and target.read_text("utf-8") == text:
        return
    if check:
        yield f"stale: {target}"
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, "utf-8")
    yield f"wrote {target}"


def main() -> int:
    """Run from the root of the repository."""
    check = "--check" in sys.argv[1:]
    complaints = bring_up_to_date(ROOTS, check=check)
    sys.stdout.write("".join(f"{complaint}\n" for complaint in complaints))
    return int(any(check or not done(complaint) for complaint in complaints))


def done(complaint: str) -> bool:
    """Whether a run that writes has taken care of it."""
    return complaint.startswith(("wrote ", "deleted "))


if __name__ == "__main__":
    sys.exit(main())
