"""The command group: what it offers, what it guesses, and how failures end it."""

import json

import click
import pytest
from click.testing import CliRunner

from toril.cli.exit_codes import ExitCode, exit_code_of
from toril.cli.main import main
from toril.core import errors
from toril.core.version import VERSION


def run(*arguments: str) -> "click.testing.Result":
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], []])
def test_help_lists_the_commands_and_the_exit_codes(arguments: list[str]) -> None:
    result = run(*arguments)

    assert all(
        word in result.output for word in ("demo", "doctor", "version", "worker", "Exit codes:")
    )


def test_a_name_that_is_nearly_right_is_guessed() -> None:
    result = run("wroker")

    assert result.exit_code == ExitCode.USAGE
    assert "Did you mean 'worker'?" in result.output


def test_version_names_toril_first_and_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toril.cli.version._PARTS", ("redis", "no-such-package"))

    lines = run("version").output.splitlines()

    assert lines[0] == f"toril {VERSION}"
    assert lines[-1] == "no-such-package is not installed"


def test_version_as_json_is_one_object() -> None:
    versions = json.loads(run("version", "--json").output)

    assert versions["toril"] == VERSION
    assert {"python", "redis", "msgspec", "rich"} <= set(versions)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.BadInputError("queue", "is empty"), 2),
        (errors.UnavailableError("localhost", "connection refused"), 3),
        (errors.OutcomeUnknownError("add", "localhost"), 3),
        (errors.DeniedError("localhost", "wrong password"), 3),
        (errors.JobNotFoundError("mail", "7"), 4),
        (errors.MissingExtraError("embedded://", "embedded"), 7),
        (errors.LockLostError("7"), 1),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_error_of_toril_is_one_line_and_a_code(
    error: errors.TorilError, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    @click.command()
    def fail() -> None:
        raise error

    monkeypatch.setitem(main.commands, "fail", fail)

    result = run("fail")

    assert exit_code_of(error) == result.exit_code == code
    assert result.output == f"Error: {error}\n"


def test_an_interrupted_command_ends_with_the_code_of_the_signal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @click.command()
    def wait() -> None:
        raise KeyboardInterrupt

    monkeypatch.setitem(main.commands, "wait", wait)

    assert run("wait").exit_code == ExitCode.INTERRUPTED == 130
