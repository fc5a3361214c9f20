"""What a scenario is: a file in `scenarios/` with one class that plays and judges."""

import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from tests.chaos.case import Case
from tests.chaos.stage import Stage


class Scenario(ABC):
    """Trouble for a queue under load, and what must be true of it afterwards.

    `seconds` is how long the trouble lasts, `short` the same for the short run, of which a
    scenario without it is no part. One that is `alone` measures moments closely, and plays while
    no other does. `does` and `must` are its row in the documentation.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    does: ClassVar[str]
    must: ClassVar[str]
    seconds: ClassVar[float]
    short: ClassVar[float | None] = None
    alone: ClassVar[bool] = False
    server: ClassVar[Mapping[str, Any]] = {}
    """Options of the server."""

    programs: ClassVar[Sequence[str]] = ()
    """Modules that it runs in processes of their own, besides workers and producers."""

    drain_s: ClassVar[float] = 30.0
    """How long what is left may take when the trouble is over."""

    forgives: ClassVar[Sequence[str]] = ()
    """Laws of the keyspace that its subject is to break."""

    @abstractmethod
    def play(self, stage: Stage) -> None:
        """Set it up and make trouble; return when the trouble is over."""

    @abstractmethod
    def judge(self, case: Case) -> None:
        """Set the limits, and say what must be true besides the laws for all."""


def load_scenarios() -> list[Scenario]:
    """One of each file, in the order of their names."""
    folder = Path(__file__).parent / "scenarios"
    return [_scenario_of(path.stem) for path in sorted(folder.glob("*.py"))]


def _scenario_of(name: str) -> Scenario:
    module = importlib.import_module(f"tests.chaos.scenarios.{name}")
    [kind] = [
        kind
        for kind in vars(module).values()
        if isinstance(kind, type) and kind.__module__ == module.__name__
    ]
    scenario: Scenario = kind()
    return scenario
