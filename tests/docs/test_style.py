"""Pages are written alike: plain words, headings like sentences, one sentence a line."""

import re

import pytest
from tests.docs.markdown import Page, every_page

PAGES = every_page()

GUIDES = [page for page in PAGES if "adr" not in page.path.parts]
"""A decision has one paragraph for each of its parts; every other page has a line a sentence."""

PRAISE = (
    *("blazing", "lightning", "powerful", "beautiful", "elegant", "seamless", "effortless"),
    *("robust", "world-class", "state of the art", "production-ready", "battle-tested"),
    *("simply", "obviously", "of course", "please note"),
)
"""Words that say nothing, or that others may say about us."""

OWN_WORDS = {
    *("BullMQ", "BullMQ's", "I/O", "Kubernetes", "LIFO", "Lua", "Mermaid", "Node", "Python"),
    *("Queue", "AsyncQueue", "Redis", "Sentinel", "TLS", "URLs", "X", "Y", "README", "JSON"),
    *("Cluster", "Pythons", "EVALSHA"),
}
"""Words that keep their capitals in the middle of a heading."""

LONGEST_LINE = 260


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_has_one_title_which_comes_first(page: Page) -> None:
    levels = [heading.level for heading in page.headings]

    assert page.text.startswith("# ")
    assert levels.count(1) == 1


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_headings_are_written_like_sentences(page: Page) -> None:
    capitals = {
        word
        for heading in page.headings
        for word in re.findall(r"(?<=[\w,:] )[A-Z][\w/']*", heading.text)
    }

    assert capitals - OWN_WORDS == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_nothing_is_praised(page: Page) -> None:
    text = page.prose.lower()

    assert [word for word in PRAISE if re.search(rf"\b{word}\b", text)] == []
    assert "!" not in re.sub(r"`[^`]*`|<!--|!\[", "", page.prose)


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.name)
def test_a_sentence_has_a_line(page: Page) -> None:
    prose = [line for line in page.prose.splitlines() if not line.startswith("|")]

    assert [line for line in prose if len(line) > LONGEST_LINE] == []
