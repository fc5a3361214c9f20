"""The Python of every page runs, and prints what the page says."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.docs.markdown import ROOT, Page, every_page

PAGES = [page for page in every_page() if any(b.language == "python" for b in page.blocks)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_runs_from_top_to_bottom(page: Page, redis_url: str, tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.docs.play", page.path],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TORIL_URL": redis_url},
        capture_output=True,
        text=True,
        timeout=15,
        check=False,
    )

    assert ended.returncode == 0, ended.stderr
    assert "Exception ignored" not in ended.stderr, ended.stderr
    assert "Task exception was never retrieved" not in ended.stderr, ended.stderr
