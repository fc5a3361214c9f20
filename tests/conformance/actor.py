"""Who carries out a step: real Node BullMQ, or toril."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Place:
    """Where a step happens: a server on this machine, and a queue by its stored name."""

    port: int
    queue: str


class Actor(Protocol):
    """Carries out the verbs of a scenario; each answers what JSON can say."""

    async def do(self, place: Place, verb: str, arguments: Mapping[str, object]) -> object:
        """Carry out one step and answer when all its effects are stored."""
        ...

    async def leave(self) -> None:
        """Close what the scenario opened; the next one may follow."""
        ...


class StepError(Exception):
    """An actor could not carry out a step."""
