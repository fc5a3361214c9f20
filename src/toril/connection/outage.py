"""Count the failures in a row, rest longer after each, and tell of the first and the last."""

from typing import Final

from toril.core.chance import CHANCE
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import ConnectionLost, ConnectionRestored

FIRST_REST_S: Final = 0.05
LONGEST_REST_S: Final = 2.0


class Outage:
    """The time between something going wrong on a server and the next thing going right.

    Rests double from 50 ms to 2 s, with full jitter, so that many clients do not return at once.
    It never ends by giving up. Attempts that were under way together fail together: whoever says
    how many failures it knew of at its beginning is not counted beside them, unless another's
    success has ended them since.
    """

    def __init__(self, purpose: str, emitter: Emitter | None) -> None:
        self._purpose: Final = purpose
        self._emitter: Final = emitter or Emitter()
        # Threads that share a runner count into it together: it sets a pace, not a balance.
        self._failures = 0

    @property
    def failures(self) -> int:
        """How many there were in a row."""
        return self._failures

    @property
    def rest_s(self) -> float:
        """How long to wait before the next attempt; nothing when the last one went well."""
        if not self._failures:
            return 0.0
        longest = FIRST_REST_S * 2 ** min(self._failures - 1, 10)
        return CHANCE.uniform(0, min(LONGEST_REST_S, longest))

    def failed(self, server: str, problem: str, *, known: int | None = None) -> None:
        """Something went wrong; only the first time in a row is news."""
        if known is not None and self._failures and known != self._failures:
            return
        self._failures += 1
        if self._failures == 1:
            self._emitter.emit(
                ConnectionLost(server=server, purpose=self._purpose, problem=problem)
            )

    def ended(self, server: str) -> None:
        """Something went right."""
        if not self._failures:
            return
        attempts, self._failures = self._failures, 0
        self._emitter.emit(
            ConnectionRestored(server=server, purpose=self._purpose, attempts=attempts)
        )
