"""How a limit stands."""

from dataclasses import dataclass

from toril.toolkit.limits.limit import Limit


@dataclass(frozen=True, slots=True)
class Standing:
    """One limit of one key, at one moment."""

    limit: Limit
    remaining: int
    """How much it would grant now."""
    reset_after: float
    """Seconds until all of it is back, when nothing else happens."""
