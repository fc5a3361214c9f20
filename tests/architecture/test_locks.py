"""Locks name no address, carry a hash for everything, and are in step with what is declared."""

import json
from pathlib import Path

import pytest
from tools.check_hygiene import lock_faults, node_lock_faults, python_lock_faults

ROOT = Path()


def test_the_locks_of_python_are_in_order() -> None:
    assert list(python_lock_faults(ROOT)) == []


def test_the_locks_of_node_are_in_order() -> None:
    assert list(node_lock_faults(ROOT)) == []


@pytest.mark.parametrize(
    ("lock", "fault"),
    [
        ("--index-url https://example.com\n", "names an address"),
        ("click==8.1\n    --hash=sha256:0\nrich==15\n", "no hash for rich"),
        ("click==7.0 \\\n    --hash=sha256:0\n", "click>=8.1 is declared, 7.0 is locked"),
        ("", "click>=8.1 is declared, nothing is locked"),
    ],
)
def test_a_fault_of_a_python_lock_is_reported(lock: str, fault: str) -> None:
    assert any(fault in found for found in lock_faults(lock, ["click>=8.1"]))


def test_a_fault_of_a_node_lock_is_reported(tmp_path: Path) -> None:
    a = {"resolved": "https://example.com/a.tgz", "optionalDependencies": {"b": "1.0.0"}}
    packages = {"": {}, "node_modules/a": a}
    (tmp_path / "package-lock.json").write_text(json.dumps({"packages": packages}))
    (tmp_path / "package.json").write_text(json.dumps({"dependencies": {"a": "1.0.0"}}))

    faults = "\n".join(node_lock_faults(tmp_path))

    assert "dependencies differ from package.json" in faults
    assert "b, which node_modules/a may need, is not locked" in faults
    assert "a names the address it came from" in faults
    assert "no hash for node_modules/a" in faults
