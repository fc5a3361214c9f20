"""The page of what is tried has a row for each scenario, in the scenario's own words."""

from tests.chaos.scenario import load_scenarios
from tests.docs.markdown import ROOT

_PAGE = ROOT / "docs/reference/what-is-tried.md"


def test_the_table_is_what_the_scenarios_say() -> None:
    rows = [line for line in _PAGE.read_text("utf-8").splitlines() if line.startswith("| ")]

    scenarios = load_scenarios()

    assert rows[1:] == [f"| {one.id} | {one.does} | {one.must} |" for one in scenarios]
