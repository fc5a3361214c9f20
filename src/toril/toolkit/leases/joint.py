"""Several leases that stand and fall together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from toril.toolkit.leases.claim import Claim
from toril.toolkit.leases.hold import Books, LossListener


@dataclass(frozen=True, slots=True)
class Label:
    """What is held by all of them."""

    kind: str
    name: str
    token: str


class JointHold:
    """Stands while every part of it does. When one is lost, the others are given up."""

    def __init__(
        self,
        label: Label,
        holds: Sequence[Books],
        claims: Sequence[Claim[object]],
        give_up: Callable[[Claim[object]], object],
    ) -> None:
        self.claim: Final = label
        self.claims: Final = claims
        self.holds: Final = holds
        self.fence: Final = max(hold.fence for hold in holds)
        self._give_up: Final = give_up
        for hold in holds:
            hold.on_lost(self._one_was_lost)

    @property
    def deadline(self) -> float:
        """Of the part that ends first."""
        return min(hold.deadline for hold in self.holds)

    @property
    def why(self) -> str:
        """Why it is not held any more; empty while it is."""
        ends = sorted((not hold.was_lost, hold.why) for hold in self.holds if hold.why)
        return ends[0][1] if ends else ""

    @property
    def was_lost(self) -> bool:
        """Whether a part of it ended before its holder let it go."""
        return any(hold.was_lost for hold in self.holds)

    @property
    def remaining_s(self) -> float:
        """For how long it certainly stands."""
        return min(hold.remaining_s for hold in self.holds)

    def on_lost(self, listener: LossListener) -> None:
        """Call this, in whichever thread finds out, when a part is lost; for each that is."""
        for hold in self.holds:
            hold.on_lost(listener)

    def lose(self, why: str) -> None:
        """It is another's, or nobody's."""
        for hold in self.holds:
            hold.lose(why)

    def look(self) -> bool:
        """Whether it is held; a part whose time has passed is lost aloud."""
        looks = [hold.look() for hold in self.holds]
        return all(looks)

    def end(self) -> bool:
        """Its holder lets it go; False when some of it was gone, and the rest is given up."""
        ended = [claim for hold, claim in zip(self.holds, self.claims, strict=True) if hold.end()]
        if len(ended) == len(self.holds):
            return True
        for claim in ended:
            self._give_up(claim)
        return False

    def _one_was_lost(self) -> None:
        for hold, claim in zip(self.holds, self.claims, strict=True):
            if hold.end():
                self._give_up(claim)
