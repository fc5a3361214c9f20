"""`toril worker run` refuses what cannot work before it connects to anything."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from toril.cli.main import main


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "app_of_this_test.py").write_text("async def handle(job): return job\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    # Only the process of a command may set up logging.
    monkeypatch.setattr("toril.cli.worker.show_log", lambda _level: None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--queue", "a:b"], "Error: queue: 'a:b' has a colon"),
        (["--queue", "mail", "--prefix", "a*"], "Error: prefix: 'a*' has one of"),
        (["--queue", "mail", "--url", "http://:canary@there"], "Error: url: "),
        (["--queue", "mail", "--concurrency", "0"], "'--concurrency': 0 is not in the range"),
        (["--queue", "mail", "--processes", "0"], "'--processes': 0 is not in the range"),
        (["--queue", "mail", "--timeout", "0"], "'--timeout': 0.0 is not in the range"),
        (["--queue", "mail", "--drain-timeout", "-1"], "'--drain-timeout': -1.0 is not in"),
        (["--queue", "mail", "--retry-policy", "never"], "'never' is not one of"),
        (["--queue", "mail", "--log-level", "loud"], "'loud' is not one of"),
        (["--queue", "mail", "--concurency", "2"], "Did you mean '--concurrency'?"),
        ([], "Missing option '-q' / '--queue'"),
    ],
)
@pytest.mark.parametrize("processes", [[], ["-p", "2"]], ids=["one", "several"])
def test_a_wrong_option_is_named(arguments: list[str], message: str, processes: list[str]) -> None:
    command = ["worker", "run", "app_of_this_test:handle", *processes, *arguments]

    result = CliRunner().invoke(main, command)

    assert result.exit_code == 2
    assert message in result.output
    assert "canary" not in result.output
