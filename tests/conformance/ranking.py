"""A sorted set as it is told: an order that counts only where times decided it."""

from collections.abc import Iterable
from itertools import groupby
from math import inf


class Ranking(list[str]):
    """What is told of each member, in the order of the set; and the number that ranks it.

    What takes one millisecond on one side may take two on the other, and members of one rank stand
    in the order of their names: how two of them stand is decided only where their ranks differ.
    """

    def __init__(self, members: Iterable[tuple[str, float]]) -> None:
        self._ranks = dict(members)
        super().__init__(self._ranks)

    def agrees_with(self, other: "Ranking") -> bool:
        """The same members, and no two that both sides have decided, each its own way."""
        if self._ranks.keys() != other._ranks.keys():
            return False
        highest = -inf
        for _, equals in groupby(self, key=self._ranks.__getitem__):
            there = [other._ranks[member] for member in equals]
            if min(there) < highest:
                return False
            highest = max(highest, *there)
        return True
