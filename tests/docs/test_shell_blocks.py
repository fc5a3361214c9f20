"""Commands that pages show exist: targets of make, commands and options of toril."""

import re
import shlex
from collections.abc import Iterator
from typing import Final

import click
import pytest
from tests.docs.markdown import ROOT, Page, every_page

from toril.cli.main import main

KNOWN: Final = {"pip", ".venv/bin/pip", ".venv/bin/python", "python", "python3"}
TARGETS: Final = set(
    re.findall(r"^([a-z/]+):.*## ", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
)


def shown() -> Iterator[tuple[Page, str]]:
    """Every line of a console block that somebody is to type, and every `make …` in the text."""
    for page in every_page():
        for block in page.blocks:
            if block.language == "console":
                lines = block.text.splitlines()
                yield from ((page, line.removeprefix("$ ").split("#")[0]) for line in lines if line)
        for found in re.findall(r"`(make [^`]+)`", page.prose):
            yield page, found


def parse_toril(words: list[str]) -> None:
    """Read the words as the command line would, without doing anything."""
    command: click.Command = main
    context = click.Context(main)
    while isinstance(command, click.Group):
        name, found, words = command.resolve_command(context, words)
        assert found is not None
        command, context = found, click.Context(found, parent=context, info_name=name)
    if words and words[0] in {"--help", "[options]"}:
        return
    command.make_context(command.name, [w for w in words if w != "[options]"], parent=context)


@pytest.mark.parametrize(
    ("page", "line"), [pytest.param(*one, id=f"{one[0].name}: {one[1]}") for one in shown()]
)
def test_a_command_that_is_shown_exists(page: Page, line: str) -> None:
    words = shlex.split(line)

    match words:
        case ["make", *targets]:
            assert {word for word in targets if "=" not in word} <= TARGETS, page.name
        case ["toril", *rest]:
            parse_toril(rest)
        case _:
            assert words[0] in KNOWN, page.name
