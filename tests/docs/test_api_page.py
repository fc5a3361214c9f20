"""Everything that can be imported is on the page of the API, and shown in a guide that runs."""

import inspect
import re
from typing import Final

import pytest
from tests.docs.markdown import ROOT, Page
from tools.api_page import FACES, Face, public_names, unshown

from toril.core.errors import TorilError

PAGE: Final = Page(ROOT / "docs/reference/api.md")


def test_every_name_is_there() -> None:
    names = {name for name in public_names() if not name.startswith("_")}

    assert {name for name in names if not re.search(rf"\b{name}\b", PAGE.text)} == set()


def test_every_row_says_what_the_thing_is() -> None:
    assert re.findall(r"^\| [^|]+ \| +\|", PAGE.text, re.MULTILINE) == []


def test_every_call_is_shown_in_a_guide() -> None:
    assert unshown() == []


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.asyncio.__name__)
def test_the_two_of_a_pair_have_the_same_calls(face: Face) -> None:
    calls = [
        {name for name, _ in inspect.getmembers(kind, inspect.isfunction) if name[0] != "_"}
        for kind in (face.blocking, face.asyncio)
    ]

    assert calls[0] == calls[1]


def test_the_errors_that_are_named_exist() -> None:
    errors = {error.__name__ for error in _tree(TorilError)}

    assert set(re.findall(r"`(\w+Error)`", PAGE.text)) <= errors


def _tree(error: type[TorilError]) -> set[type[TorilError]]:
    return {error}.union(*(_tree(kind) for kind in error.__subclasses__()))
