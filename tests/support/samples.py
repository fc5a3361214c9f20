"""What the tests of scripts read: operations, and the keys that those may touch."""

from dataclasses import dataclass

from toril.core.operation import Operation


@dataclass(frozen=True, slots=True)
class Samples:
    """Operations that belong together, in an order in which each finds what others made."""

    name: str
    starts: tuple[str, ...]
    """What the keys begin with."""

    operations: tuple[tuple[str, Operation[object]], ...]
