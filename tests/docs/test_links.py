"""Every link of every page leads somewhere, and every page is led to."""

import tomllib
from pathlib import Path

import pytest
from tests.docs.markdown import ROOT, Page, every_page

PAGES = every_page()
SCENARIOS = ROOT / "tests/conformance/scenarios"


def fault(link: str, folder: Path) -> str | None:
    """What is wrong with a link on a page of this folder."""
    if link.startswith(("https://", "mailto:")):
        return None
    path, _, anchor = link.partition("#")
    target = (folder / path).resolve() if path else None
    if target and not target.exists():
        return f"{link}: there is no such file"
    if anchor and target and anchor not in {head.anchor for head in Page(target).headings}:
        return f"{link}: the page has no such heading"
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Page) -> None:
    links = [f"{page.path.name}{link}" if link.startswith("#") else link for link in page.links]

    assert [found for link in links if (found := fault(link, page.path.parent))] == []


def test_every_page_is_linked_from_the_index_or_the_readme() -> None:
    linked = {
        (page.path.parent / link.partition("#")[0]).resolve()
        for page in (Page(ROOT / "docs/index.md"), Page(ROOT / "README.md"))
        for link in page.links
    }
    pages = {page.path for page in PAGES if "docs" in page.path.parts and "adr" not in page.name}

    assert pages - linked == set()


def test_declared_deviations_point_at_their_reason() -> None:
    links = {
        deviation["link"]
        for path in SCENARIOS.rglob("*.toml")
        for deviation in tomllib.loads(path.read_text("utf-8")).get("deviations", ())
    }

    assert links
    assert [found for link in sorted(links) if (found := fault(link, ROOT))] == []
