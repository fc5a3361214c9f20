"""The handler named on the command line is found, or its absence is explained in one line."""

import sys
from pathlib import Path

import pytest

from toril.cli.handler_import import HandlerImportError, import_handler


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    package = tmp_path / "handlers_here"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "mail.py").write_text(
        "class Mailer:\n    @staticmethod\n    def send(job): return job\n\n"
        "def handle(job): return job\n\nlimit = 3\n"
    )
    (package / "broken.py").write_text("import json\n\n1 / 0\n")
    (package / "thirsty.py").write_text("import no_such_dependency\n")
    (package / "garbled.py").write_text("def (\n")


@pytest.mark.parametrize("attribute", ["handle", "Mailer.send"])
def test_a_handler_of_the_current_folder_is_found(attribute: str) -> None:
    assert import_handler(f"handlers_here.mail:{attribute}")("job") == "job"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("handlers_here.mail", "is not of the form module:handler"),
        (":handle", "is not of the form module:handler"),
        ("handlers_her.mail:handle", "no module 'handlers_her.mail' here"),
        ("handlers_hree:handle", "did you mean 'handlers_here'?"),
        ("handlers_here.mail:hadle", "has no 'hadle'; did you mean 'handle'?"),
        ("handlers_here.mail:Mailer.post", "has no 'Mailer.post'"),
        ("handlers_here.mail:limit", "is not a function but of type int"),
        ("handlers_here.broken:handle", "ZeroDivisionError: division by zero"),
        ("handlers_here.broken:handle", "broken.py:3)"),
        ("handlers_here.thirsty:handle", "No module named 'no_such_dependency'"),
        ("handlers_here.garbled:handle", "SyntaxError"),
    ],
)
def test_what_cannot_be_imported_is_explained_in_one_line(path: str, message: str) -> None:
    with pytest.raises(HandlerImportError) as failure:
        import_handler(path)

    assert failure.value.exit_code == 7
    assert message in failure.value.message
    assert "\n" not in failure.value.message
