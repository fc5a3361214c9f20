"""Every error says what it means, and some test has seen it."""

import re
from functools import cache
from pathlib import Path

import pytest
from tools.reference_pages import pages, tree

from toril.core.errors import TorilError

HERE = Path(__file__)
PAGES = pages()
ERRORS = [error for error, _ in tree(TorilError)]


@cache
def _words_of_the_tests() -> frozenset[str]:
    texts = (path.read_text("utf-8") for path in Path("tests").rglob("*.py") if path != HERE)
    return frozenset(re.findall(r"\w+Error\b", "\n".join(texts)))


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__qualname__)
def test_it_says_what_is_true(error: type[TorilError]) -> None:
    assert error.__name__.endswith("Error")
    assert "__doc__" in vars(error), "an inherited docstring speaks of another error"
    assert error.__doc__


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__qualname__)
def test_it_or_one_of_its_kind_is_met_in_a_test(error: type[TorilError]) -> None:
    kinds = {error.__name__, *(kind.__name__ for kind, _ in tree(error))}

    assert kinds & _words_of_the_tests(), f"no test names any of {sorted(kinds)}"


def test_the_page_of_errors_has_them_all() -> None:
    [page] = [text for path, text in PAGES.items() if path.name == "errors.md"]

    assert all(f"`{error.__name__}`" in page for error in ERRORS)
