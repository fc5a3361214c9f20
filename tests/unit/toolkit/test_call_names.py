"""A template makes one name of the arguments of a call, and no other call has it."""

import pytest

from toril.core.errors import BadInputError
from toril.toolkit.call_names import CallName


def book(tenant: str, seat: str = "any") -> None:
    raise NotImplementedError(tenant, seat)


def test_arguments_are_taken_by_the_names_of_parameters() -> None:
    name = CallName("seat:{tenant}:{seat}", book, "name")

    assert name.of(("acme", "12"), {}) == name.of((), {"seat": "12", "tenant": "acme"})
    assert name.of(("acme",), {}) == "seat:acme:any"


def test_a_colon_within_an_argument_divides_nothing() -> None:
    name = CallName("{tenant}:{seat}", book, "name")

    assert name.of(("a:b", "c"), {}) != name.of(("a", "b:c"), {})
    assert name.of(("a:b", "c"), {}) != name.of(("a%3Ab", "c"), {})


def test_an_only_argument_is_written_as_it_is() -> None:
    assert CallName("ip:{tenant}", book, "name").of(("::1",), {}) == "ip:::1"


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("{tenant", "is no template"),
        ("{room}", "no such argument.*'room'; the arguments are tenant, seat"),
        ("{}", "no such argument"),
        (5, "is of type int: pass a string"),
    ],
)
def test_what_cannot_be_filled_in_is_refused(template: object, problem: str) -> None:
    with pytest.raises(BadInputError, match=f"name: .*{problem}"):
        CallName(template, book, "name")
