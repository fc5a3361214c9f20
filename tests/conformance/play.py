"""Play one scenario: on two keyspaces side by side, or on one that Node and toril share."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeAlias

from tests.conformance.actor import Actor, StepError
from tests.conformance.compare import Difference, differences, is_same, judge
from tests.conformance.scenario import Scenario, Step
from tests.conformance.side import Side

Choose: TypeAlias = Callable[[Side], Iterable[Step]]
"""Steps chosen one after the other, by what a side stores when each is due."""


@dataclass(frozen=True)
class Stage:
    """Two servers, and everybody who can act on them."""

    node_port: int
    toril_port: int
    peers: Mapping[str, Actor]
    toril: Actor

    @property
    def actors(self) -> dict[str, Actor]:
        """By the names that steps call them."""
        return {**self.peers, "toril": self.toril}


@dataclass
class Verdict:
    """What came of a scenario. No complaint: the sides are equal."""

    scenario: Scenario
    complaints: list[str] = field(default_factory=list)

    @property
    def is_equal(self) -> bool:
        return not self.complaints


async def play(scenario: Scenario, stage: Stage, choose: Choose | None = None) -> Verdict:
    """Play it to its end, or to the first step that cannot be carried out.

    Steps that are chosen on the way end with the first difference: the next would build on it.
    """
    verdict = Verdict(scenario)
    sides = _mixed(scenario, stage) if scenario.is_mixed else _apart(scenario, stage)
    try:
        if choose:
            found = await _chosen_steps(choose(sides["node"]), sides)
        else:
            found = await _steps(scenario, sides)
        verdict.complaints += judge(found, scenario.deviations)
        for name, side in sides.items():
            verdict.complaints += [f"{name}: {violation}" for violation in side.violations()]
    except* StepError as errors:
        verdict.complaints += [str(error) for error in errors.exceptions]
    finally:
        await _leave(stage)
        for side in sides.values():
            side.close()
    return verdict


def _apart(scenario: Scenario, stage: Stage) -> dict[str, Side]:
    """Each side alone with its keyspace; other versions of Node may set the scene on both."""
    actors = stage.actors
    return {
        "node": Side(stage.node_port, scenario, {**actors, "": actors[scenario.reference]}),
        "toril": Side(stage.toril_port, scenario, {**actors, "": actors["toril"]}),
    }


def _mixed(scenario: Scenario, stage: Stage) -> dict[str, Side]:
    peer = stage.actors[scenario.peers[0]]
    return {"both": Side(stage.toril_port, scenario, {**stage.actors, "node": peer})}


async def _steps(scenario: Scenario, sides: Mapping[str, Side]) -> list[Difference]:
    found: list[Difference] = []
    for number, step in enumerate(scenario.steps, 1):
        label = f"step {number}, {step}"
        replies = await _perform(label, step, sides)
        if not scenario.is_mixed:
            found += _compare(label, replies, sides)
    return found


async def _chosen_steps(steps: Iterable[Step], sides: Mapping[str, Side]) -> list[Difference]:
    for number, step in enumerate(steps, 1):
        label = f"step {number}, {step}"
        if found := _compare(label, await _perform(label, step, sides), sides):
            return found
    return []


def _compare(label: str, replies: Sequence[object], sides: Mapping[str, Side]) -> list[Difference]:
    node, toril = (side.tell() for side in sides.values())
    found = list(differences(label, node, toril))
    if not is_same(*replies):
        found.append(Difference(label, "reply", *replies))
    return found


async def _perform(label: str, step: Step, sides: Mapping[str, Side]) -> list[object]:
    async def one(name: str, side: Side) -> object:
        try:
            return await side.perform(step)
        except StepError as error:
            raise StepError(f"{name}, {label}: {error}") from error

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(name, side)) for name, side in sides.items()]
    return [task.result() for task in tasks]


async def _leave(stage: Stage) -> None:
    for actor in stage.actors.values():
        with suppress(TimeoutError):
            async with asyncio.timeout(10):
                await actor.leave()
