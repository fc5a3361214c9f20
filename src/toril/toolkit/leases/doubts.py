"""Of which claims a request may still be on its way, though it was answered when sent again."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Final

from toril.connection.errand import Delivery
from toril.toolkit.leases.hold import Named

LATEST_S: Final = 60.0
"""A request that arrives later than this was lost for good."""


class Doubts:
    """A late acquisition would take for a claim that is over what nobody then lets go.

    Known by the tokens of the claims, each for as long as that can happen.
    """

    def __init__(self) -> None:
        self._until: Final[dict[str, float]] = {}

    def __contains__(self, claim: Named) -> bool:
        return self._until.get(claim.token, 0.0) > monotonic()

    @contextmanager
    def noted(self, claim: Named, delivery: Delivery) -> Iterator[None]:
        """Remember it of this claim if a reply is lost meanwhile."""
        try:
            yield
        finally:
            if delivery.was_lost:
                now = monotonic()
                for token in [token for token, until in list(self._until.items()) if until <= now]:
                    self._until.pop(token, None)
                self._until[claim.token] = now + LATEST_S
