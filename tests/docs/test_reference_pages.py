"""The pages that the code writes are as the code is now."""

from pathlib import Path

import pytest
from tests.docs.markdown import ROOT
from tools.reference_pages import pages

PAGES = pages()


@pytest.mark.parametrize("path", PAGES, ids=str)
def test_a_written_page_is_fresh(path: Path) -> None:
    written = (ROOT / path).read_text("utf-8")

    assert written == PAGES[path], "make pages"
