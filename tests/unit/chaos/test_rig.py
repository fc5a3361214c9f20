"""The chaos rig says what happened: its last line, its exit code, how to play it again."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import pytest
from tests.chaos import run
from tests.chaos.case import Case
from tests.chaos.scenario import Scenario, load_scenarios
from tests.chaos.stage import Stage


class Quiet(Scenario):
    id = "Q1"
    title = "nothing at all"
    does = "Nothing."
    must = "Nothing."
    seconds = 1
    short: ClassVar[float | None] = 0.5

    def play(self, stage: Stage) -> None:
        raise NotImplementedError

    def judge(self, case: Case) -> None:
        raise NotImplementedError


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., int]:
    """Run the rig on `Quiet`, whose process writes these problems as its verdict, or breaks."""

    def play(*arguments: str, problems: list[str] | None) -> int:
        found = dict.fromkeys(
            [
                "jobs",
                "runs",
                "lost",
                "spent",
                "dup",
                "dup_limit",
                "faults",
                "p50",
                "p99",
                "seconds",
            ],
            0,
        )
        verdict = json.dumps({**found, "problems": problems})
        program = f"open(__import__('sys').argv[-1] + '/verdict.json', 'w').write({verdict!r})"
        monkeypatch.setattr(run, "FOLDER", tmp_path)
        monkeypatch.setattr(run, "load_scenarios", lambda: [Quiet()])
        monkeypatch.setattr(
            run,
            "command_of",
            lambda _scenario, _order, folder: [
                sys.executable,
                "-c",
                "raise SystemExit('broken')" if problems is None else program,
                str(folder),
            ],
        )
        return run.main(arguments)

    return play


def test_a_run_that_holds_says_so_and_ends_with_0(
    play: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    code = play(problems=[])

    assert code == 0
    assert capsys.readouterr().out.splitlines()[-1] == "chaos: 1 scenarios, 1 held"


def test_a_problem_is_told_with_the_command_that_plays_it_again(
    play: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    code = play("--seed", "7", "--short", problems=["lost: 12"])

    output = capsys.readouterr().out
    assert code == 1
    assert "lost: 12" in output
    assert 'again: make chaos/short ARGS="-k Q1 --seed 7"' in output
    assert output.splitlines()[-1] == "chaos: 1 scenarios, 0 held"


def test_a_scenario_that_does_not_come_to_an_end_does_not_hold(
    play: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    code = play(problems=None)

    output = capsys.readouterr().out
    assert code == 1
    assert "it did not come to an end: broken" in output
    assert output.splitlines()[-1] == "chaos: 1 scenarios, 0 held"


def test_an_unknown_scenario_is_refused(play: Callable[..., int]) -> None:
    with pytest.raises(SystemExit, match="no such scenario: s99"):
        play("-k", "S99", problems=[])


def test_each_scenario_has_an_id_of_its_own() -> None:
    ids = [scenario.id for scenario in load_scenarios()]

    assert len(ids) == len(set(ids))


def test_the_short_run_is_shorter() -> None:
    for scenario in load_scenarios():
        assert scenario.short is None or scenario.short <= scenario.seconds, scenario.id
