"""Every generated file is, as a whole text, what its tool writes now."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("tool", ["tools.generate_sync", "tools.reference_pages"])
def test_nothing_it_writes_is_stale(tool: str) -> None:
    result = subprocess.run(
        [sys.executable, "-m", tool, "--check"], capture_output=True, text=True, check=False
    )

    assert result.returncode == 0, result.stdout + result.stderr
