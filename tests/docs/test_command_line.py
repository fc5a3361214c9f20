"""The page of the command line has every command, option and exit code, and no other."""

import re
from collections.abc import Iterator
from typing import Final

import click
import pytest
from tests.docs.markdown import ROOT, Page, rows

from toril.cli.exit_codes import ExitCode
from toril.cli.main import main

PAGE: Final = Page(ROOT / "docs/reference/cli.md")


def commands(group: click.Group, name: str) -> Iterator[tuple[str, click.Command]]:
    for word, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, f"{name} {word}")
        else:
            yield f"{name} {word}", command


COMMANDS: Final = dict(commands(main, "toril"))


def spellings(option: click.Option) -> frozenset[str]:
    return frozenset((*option.opts, *option.secondary_opts))


def default_of(option: click.Option) -> str | None:
    """What the page must say of the default, where the code has one of its own."""
    if option.required:
        return "required"
    if isinstance(option.default, str | int | float) and not option.is_flag:
        return str(option.default)
    return None


def test_every_command_has_a_section() -> None:
    sections = {head.text for head in PAGE.headings if head.text.startswith("toril")}

    assert sections == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_a_row_with_its_default(name: str) -> None:
    options = [
        option
        for option in COMMANDS[name].params
        if isinstance(option, click.Option) and not option.hidden
    ]
    told = {
        frozenset(re.findall(r"`(-[\w-]+)`", cells[0])): cells[1]
        for cells in rows(PAGE.section(name))
        if len(cells) == 3
    }

    assert set(told) == {spellings(option) for option in options}
    for option in options:
        default, variable = default_of(option), option.envvar
        assert default is None or default in told[spellings(option)]
        assert variable is None or str(variable) in told[spellings(option)]


def test_every_exit_code_has_a_row() -> None:
    told = {int(cells[0]) for cells in rows(PAGE.section("Exit codes"))}

    assert told == {code.value for code in ExitCode}
