"""Rooms import only what lies below them, and nobody below uses the face of the package."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path("src/toril")
TOP = {"cli", "testing"}
"""The rooms above the products: they may use `toril` as anybody does."""


def test_every_import_follows_the_contracts() -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    result = subprocess.run(
        [lint, "--no-logo", "--cache-dir", ".cache/import-linter"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert result.returncode == 0, result.stdout + result.stderr


def test_no_room_below_imports_the_face_of_the_package() -> None:
    """The face imports every product: coming in that way would go around the layers."""
    assert list(_imports_of_the_face()) == []


def _imports_of_the_face() -> Iterator[str]:
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.relative_to(PACKAGE).parts[0] in TOP:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                named = {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                named = {node.module or ""}
            else:
                continue
            if "toril" in named:
                yield f"{path}:{node.lineno}"
