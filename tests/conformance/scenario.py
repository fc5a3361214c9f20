"""Scenario files: what they may say, read into values and refused early when they say it wrong."""

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

Table: TypeAlias = Mapping[str, object]

FOLDER: Final = Path(__file__).parent / "scenarios"

REFERENCE: Final = "node5"
"""The version of Node whose stored state toril's must equal, unless a scenario names another."""

_SCENARIO_WORDS: Final = {
    "title", "queue", "peers", "reference", "leaving_out", "at_rest", "ignoring",
    "delays_between", "deviations", "steps",
}  # fmt: skip
_DEVIATION_WORDS: Final = {"path", "node", "toril", "reason", "link"}
_JSON: Final = "_json"


class ScenarioError(Exception):
    """A scenario file is wrong; nothing was run."""


@dataclass(frozen=True)
class Deviation:
    """One path of the dump that toril stores otherwise on purpose, with both values spelled out."""

    path: str
    node: object
    toril: object
    reason: str
    link: str


@dataclass(frozen=True)
class Step:
    """One thing done: by whom (empty: by the side under test), to which queue, with what."""

    verb: str
    by: str
    arguments: Table
    together: tuple["Step", ...] = ()

    def __str__(self) -> str:
        words = [self.verb, *(f"by {self.by}" for _ in self.by[:1])]
        return " ".join(words + [f"({step})" for step in self.together])


@dataclass(frozen=True)
class Scenario:
    """A sequence of steps that Node and toril must go through alike."""

    name: str
    title: str
    steps: tuple[Step, ...]
    queue: str
    peers: tuple[str, ...]
    """Versions of Node that take part beside toril; none: the steps are run by each side alone."""
    reference: str
    """The version of Node that the sides are compared with, when it plays apart."""
    leaving_out: tuple[str, ...]
    """Events that are not compared: the reference does not know them any more."""
    at_rest: bool
    ignoring: tuple[str, ...]
    """Laws of the keyspace that this scenario breaks on purpose, on both sides."""
    delays_between: tuple[int, int] | None
    """Milliseconds that a random delay must lie between; exact otherwise."""
    deviations: tuple[Deviation, ...]

    @property
    def is_mixed(self) -> bool:
        """Whether Node and toril share one keyspace."""
        return bool(self.peers)


def load_all(wanted: str = "") -> Iterator[Scenario]:
    """Every scenario whose file name or title has `wanted`, once for each peer it names."""
    for path in sorted(FOLDER.rglob("*.toml")):
        scenario = load(path)
        if wanted.lower() not in f"{scenario.name} {scenario.title}".lower():
            continue
        if not scenario.is_mixed:
            yield scenario
        for peer in scenario.peers:
            yield replace(scenario, name=f"{scenario.name} with {peer}", peers=(peer,))


def load(path: Path) -> Scenario:
    """Read one file."""
    try:
        inside = path.relative_to(FOLDER) if path.is_relative_to(FOLDER) else Path(path.name)
        return parse(str(inside.with_suffix("")), path.read_text("utf-8"))
    except (KeyError, TypeError, ValueError) as problem:
        raise ScenarioError(f"{path}: {problem!r}") from problem


def parse(name: str, text: str) -> Scenario:
    """Read the text of a scenario."""
    table = tomllib.loads(text)
    _known(table, _SCENARIO_WORDS)
    mixed = "peers" in table
    deviations = [_deviation(row) for row in table.pop("deviations", ())]
    steps = tuple(step_of(row, mixed=mixed) for row in table.pop("steps"))
    return Scenario(
        name=name,
        title=table["title"],
        steps=steps,
        queue=table.get("queue", "mail"),
        peers=tuple(table.get("peers", ())),
        reference=table.get("reference", REFERENCE),
        leaving_out=tuple(table.get("leaving_out", ())),
        at_rest=table.get("at_rest", True),
        ignoring=tuple(table.get("ignoring", ())),
        delays_between=tuple(table["delays_between"]) if "delays_between" in table else None,
        deviations=tuple(deviations),
    )


def _deviation(row: dict[str, object]) -> Deviation:
    _known(row, _DEVIATION_WORDS)
    return Deviation(
        path=str(row["path"]),
        node=row.get("node"),
        toril=row.get("toril"),
        reason=str(row["reason"]),
        link=str(row["link"]),
    )


_OF_NOBODY: Final = frozenset({"expect", "redis", "wait_due", "wait_gone", "wait_minute"})
"""Steps of the harness itself."""


def step_of(row: Table, *, mixed: bool = False) -> Step:
    """One row of a file."""
    if "together" in row:
        parts = row["together"]
        assert isinstance(parts, list)
        return Step("together", "", {}, tuple(step_of(part, mixed=mixed) for part in parts))
    values = {key.removesuffix(_JSON): _value(key, value) for key, value in row.items()}
    verb, by = str(values.pop("do")), str(values.pop("by", ""))
    if mixed and not by and verb not in _OF_NOBODY:
        raise ValueError(f"in a mixed scenario, step {verb} must say by whom")
    return Step(verb, by, values)


def _value(key: str, value: object) -> object:
    """TOML has no null: `value_json = "null"` says it."""
    if key.endswith(_JSON) and isinstance(value, str):
        return json.loads(value)
    if isinstance(value, dict):
        return {name.removesuffix(_JSON): _value(name, item) for name, item in value.items()}
    if isinstance(value, list):
        return [_value("", item) for item in value]
    return value


def _known(table: Table, words: set[str]) -> None:
    unknown = table.keys() - words
    if unknown:
        raise ValueError(f"unknown: {', '.join(sorted(unknown))}")
