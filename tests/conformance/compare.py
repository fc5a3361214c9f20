"""What differs between two told keyspaces, and whether the scenario declared it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tests.conformance.normalise import Told
from tests.conformance.ranking import Ranking
from tests.conformance.scenario import Deviation


class _Missing:
    def __repr__(self) -> str:
        return "(missing)"


MISSING: Final = _Missing()


@dataclass(frozen=True)
class Difference:
    """One path at which the two sides are not the same after a step."""

    step: str
    path: str
    node: object
    toril: object

    @property
    def key(self) -> tuple[str, str, str]:
        """What it is, whenever it is seen."""
        return self.path, repr(self.node), repr(self.toril)

    def __str__(self) -> str:
        return (
            f"after {self.step}: {self.path}\n    node:  {self.node!r}\n    toril: {self.toril!r}"
        )


def differences(step: str, node: Told, toril: Told) -> Iterator[Difference]:
    """Every path whose values differ in value or in type, in the order of paths."""
    for path in sorted(node.keys() | toril.keys()):
        left, right = node.get(path, MISSING), toril.get(path, MISSING)
        if not is_same(left, right):
            yield Difference(step, path, left, right)


def is_same(left: object, right: object) -> bool:
    """Equal as JSON: 1 and 1.0 are one number in Node, while 1 and true are two values.

    Sorted sets are equal when nothing that is decided on both sides is decided differently.
    """
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, Ranking) and isinstance(right, Ranking):
        return left.agrees_with(right)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(is_same, left, right))
    return left == right


def judge(found: Iterable[Difference], declared: Sequence[Deviation]) -> list[str]:
    """Complaints: differences nobody declared, and declarations that did not come true."""
    complaints: dict[tuple[str, str, str], str] = {}
    missed = list(declared)
    for difference in found:
        deviation = next((d for d in declared if _is_declared(difference, d)), None)
        if deviation is None:
            # The steps that follow repeat it: the first one is the one to look at.
            complaints.setdefault(difference.key, str(difference))
        elif deviation in missed:
            missed.remove(deviation)
    unseen = [f"declared, but not seen: {deviation.path}" for deviation in missed]
    return [*complaints.values(), *unseen]


def _is_declared(difference: Difference, deviation: Deviation) -> bool:
    return (
        difference.path == deviation.path
        and _is_as_said(difference.node, deviation.node)
        and _is_as_said(difference.toril, deviation.toril)
    )


def _is_as_said(value: object, said: object) -> bool:
    return value is MISSING if said is None else is_same(value, said)
