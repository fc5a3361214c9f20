"""The answer to a request that moves many jobs, some at a time."""

from dataclasses import dataclass

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Reply
from toril.core.script import Script

_MOVED = 1


@dataclass(frozen=True, slots=True)
class Moved:
    """How many ids left their state; fewer `jobs` moved, as some ids had none behind them."""

    taken: int
    jobs: int


def moved_in(script: Script, reply: Reply) -> Moved:
    """Read the reply of one of these scripts."""
    match reply:
        case [int(status), int(taken), int(jobs)] if status == _MOVED:
            return Moved(taken, jobs)
        case _:
            raise UnexpectedReplyError(script.name, reply)
