"""The comparator finds every difference, and accepts one only exactly as it was declared."""

import pytest
from tests.conformance.compare import MISSING, Difference, differences, is_same, judge
from tests.conformance.normalise import Told
from tests.conformance.ranking import Ranking
from tests.conformance.scenario import FOLDER, Deviation, load, parse

NODE: Told = {"1 name": "send", "1 opts.attempts": 3, "wait members": ["2", "1"]}
DECLARED = Deviation("1 name", node="send", toril="sent", reason="because", link="#here")


def compare(node: Told, toril: Told) -> list[Difference]:
    return list(differences("step 1", node, toril))


def test_equal_keyspaces_have_no_difference() -> None:
    assert compare(NODE, dict(reversed(NODE.items()))) == []


@pytest.mark.parametrize(
    ("path", "changed"),
    [
        ("1 name", "Send"),
        ("1 opts.attempts", 4),
        ("1 opts.attempts", "3"),
        ("1 opts.attempts", None),
        ("wait members", ["1", "2"]),
        ("wait members", ["2", "1", "1"]),
    ],
)
def test_a_changed_value_is_found(path: str, changed: object) -> None:
    assert compare(NODE, {**NODE, path: changed}) == [
        Difference("step 1", path, NODE[path], changed)
    ]


def test_a_path_of_only_one_side_is_found_from_both_sides() -> None:
    more: Told = {**NODE, "1 pb": "w1"}

    assert compare(NODE, more) == [Difference("step 1", "1 pb", MISSING, "w1")]
    assert compare(more, NODE) == [Difference("step 1", "1 pb", "w1", MISSING)]


def test_numbers_are_equal_as_json_and_truth_is_not_a_number() -> None:
    assert is_same(1, 1.0)
    assert not is_same(1, True)
    assert not is_same([0], [False])


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ({"b": 1, "a": 2}, {"b": 5, "a": 6}, True),
        ({"b": 1, "a": 2}, {"a": 5, "b": 6}, False),
        ({"b": 1, "a": 2}, {"a": 5, "b": 5}, True),
        ({"a": 5, "b": 5}, {"b": 1, "a": 2}, True),
        ({"b": 1, "a": 2, "c": 3}, {"a": 5, "b": 5, "c": 5}, True),
        ({"b": 1, "a": 2, "c": 2}, {"a": 5, "b": 5, "c": 6}, True),
        ({"b": 1, "a": 2, "c": 3}, {"c": 4, "a": 5, "b": 5}, False),
        ({"c": 1, "a": 1, "b": 2}, {"a": 1, "b": 2, "c": 2}, True),
        ({"c": 1, "a": 1, "b": 2}, {"a": 1, "b": 2, "c": 3}, False),
        ({"a": 1}, {"a": 1, "b": 1}, False),
        ({"a": 1}, {"b": 1}, False),
        ({}, {}, True),
    ],
)
def test_the_order_of_a_sorted_set_counts_where_both_sides_have_decided_it(
    left: dict[str, float], right: dict[str, float], *, same: bool
) -> None:
    sides = Ranking(left.items()), Ranking(right.items())

    assert is_same(*sides) is same
    assert is_same(*reversed(sides)) is same


def test_a_sorted_set_is_declared_as_a_list() -> None:
    assert is_same(Ranking([("b", 1), ("a", 2)]), ["b", "a"])
    assert not is_same(Ranking([("b", 1), ("a", 2)]), ["a", "b"])


def test_an_undeclared_difference_is_a_complaint_with_both_values() -> None:
    [complaint] = judge(compare(NODE, {**NODE, "1 name": "sent"}), [])

    assert complaint == "after step 1: 1 name\n    node:  'send'\n    toril: 'sent'"


def test_a_difference_that_lasts_is_one_complaint() -> None:
    found = [*compare(NODE, {}), *differences("step 2", NODE, {})]

    assert len(judge(found, [])) == len(NODE)


def test_a_difference_exactly_as_declared_is_none() -> None:
    assert judge(compare(NODE, {**NODE, "1 name": "sent"}), [DECLARED]) == []


@pytest.mark.parametrize("stored", ["Sent", ""])
def test_a_difference_other_than_declared_is_a_complaint(stored: str) -> None:
    complaints = judge(compare(NODE, {**NODE, "1 name": stored}), [DECLARED])

    assert len(complaints) == 2


def test_a_declared_difference_that_does_not_come_is_a_complaint() -> None:
    assert judge([], [DECLARED]) == ["declared, but not seen: 1 name"]


def test_a_declared_absence_means_that_the_path_is_missing() -> None:
    absent = Deviation("1 name", node="send", toril=None, reason="because", link="#here")
    without = {path: value for path, value in NODE.items() if path != "1 name"}

    assert judge(compare(NODE, without), [absent]) == []


def test_every_scenario_file_can_be_read_and_has_a_title_of_its_own() -> None:
    titles = [load(path).title for path in FOLDER.rglob("*.toml")]

    assert len(titles) >= 20
    assert len(set(titles)) == len(titles)


def test_a_step_of_a_mixed_scenario_must_say_by_whom() -> None:
    with pytest.raises(ValueError, match="by whom"):
        parse("x", 'title = "x"\npeers = ["node5"]\nsteps = [{ do = "add" }]')


def test_a_misspelled_word_of_a_scenario_is_refused() -> None:
    with pytest.raises(ValueError, match="deviation"):
        parse("x", 'title = "x"\ndeviation = []\nsteps = []')


def test_null_is_said_in_json() -> None:
    scenario = parse("x", 'title = "x"\nsteps = [{ do = "add", data_json = "null" }]')

    assert scenario.steps[0].arguments == {"data": None}


def test_nested_null_is_said_in_json_too() -> None:
    text = 'title = "x"\nsteps = [{ do = "add", data = { return_json = "null" } }]'

    assert parse("x", text).steps[0].arguments == {"data": {"return": None}}
