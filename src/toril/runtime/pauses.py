"""How long to wait before trying again: longer each time, up to a cap."""

from collections.abc import Callable

from toril.core.chance import CHANCE


class Pauses:
    """Doubling pauses, half of each of them random, so that workers do not come back in step."""

    def __init__(
        self, *, first_ms: float, most_ms: float, chance: Callable[[], float] = CHANCE.random
    ) -> None:
        self._first_ms = first_ms
        self._most_ms = most_ms
        self._chance = chance
        self._ceiling_ms = first_ms

    def next_s(self) -> float:
        """The next pause, in seconds."""
        ceiling_ms = self._ceiling_ms
        self._ceiling_ms = min(ceiling_ms * 2, self._most_ms)
        return ceiling_ms * (1 + self._chance()) / 2_000

    def reset(self) -> None:
        """Start over: something went well."""
        self._ceiling_ms = self._first_ms


def after_errors() -> Pauses:
    """The pauses after an error of the store."""
    return Pauses(first_ms=50, most_ms=2_000)
