"""Read a page of Markdown for what tests want to know of it: blocks, headings, links, tables."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]

_FENCE: Final = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_HIDDEN: Final = re.compile(r"^<!-- python\n(?P<text>.*?)^-->$", re.MULTILINE | re.DOTALL)
_HEADING: Final = re.compile(r"^(#+) (.+)$", re.MULTILINE)
_LINK: Final = re.compile(r"(?<!!)\[[^\]\n]+\]\(([^)\s]+)\)")
_ANCHORS_DROP: Final = re.compile(r"[^\w\- ]")
_RULE: Final = re.compile(r"[|:\- ]+")


class Block(NamedTuple):
    """A fenced block, or a comment with Python in it that a page hides from its readers."""

    language: str
    words: tuple[str, ...]
    """What follows the language: `output`, `file=app.py`."""

    text: str
    line: int

    def word(self, name: str) -> str | None:
        """The value of `name=value`."""
        return next((w.partition("=")[2] for w in self.words if w.startswith(f"{name}=")), None)


class Heading(NamedTuple):
    """A heading, and how often its words were headings before on the page."""

    level: int
    text: str
    earlier: int

    @property
    def anchor(self) -> str:
        """What a link to it ends with, as GitHub makes it."""
        plain = _ANCHORS_DROP.sub("", self.text.lower()).replace(" ", "-")
        return f"{plain}-{self.earlier}" if self.earlier else plain


@dataclass(frozen=True)
class Page:
    """One file of Markdown."""

    path: Path

    @cached_property
    def text(self) -> str:
        return self.path.read_text("utf-8")

    @property
    def name(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @cached_property
    def prose(self) -> str:
        """The text without its blocks, line by line where it was."""
        return _HIDDEN.sub(_blank, _FENCE.sub(_blank, self.text))

    @cached_property
    def blocks(self) -> Sequence[Block]:
        found = [(match.start("text"), match["info"], match["text"]) for match in self._fences()]
        found += [(m.start("text"), "python", m["text"]) for m in _HIDDEN.finditer(self.text)]
        return [
            Block(language, tuple(words), text, self.text.count("\n", 0, start) + 1)
            for start, info, text in sorted(found)
            for language, *words in [info.split() or [""]]
        ]

    @cached_property
    def headings(self) -> Sequence[Heading]:
        seen: list[str] = []
        found = []
        for marks, text in _HEADING.findall(self.prose):
            found.append(Heading(len(marks), text, seen.count(text)))
            seen.append(text)
        return found

    @cached_property
    def links(self) -> Sequence[str]:
        return _LINK.findall(self.prose)

    def section(self, heading: str) -> str:
        """What stands below a heading, up to the next one of its level or above."""
        [found] = [
            match for match in _HEADING.finditer(self.prose) if match[2].strip("`") == heading
        ]
        level = len(found[1])
        rest = self.prose[found.end() :]
        end = re.search(rf"^#{{1,{level}}} ", rest, re.MULTILINE)
        return rest[: end.start()] if end else rest

    def _fences(self) -> Iterator[re.Match[str]]:
        return _FENCE.finditer(self.text)


def rows(text: str) -> list[list[str]]:
    """The cells of every table row in a text, heads left out."""
    found: list[list[str]] = []
    for line in text.splitlines():
        if not line.startswith("|"):
            continue
        if _RULE.fullmatch(line):
            found.pop()
            continue
        cells = line.replace("\\|", "\0").strip("|").split("|")
        found.append([cell.strip().replace("\0", "|") for cell in cells])
    return found


def every_page() -> list[Page]:
    """README and the other pages of the root, and all of docs."""
    paths = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    return [Page(path) for path in sorted(paths)]


def _blank(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")
