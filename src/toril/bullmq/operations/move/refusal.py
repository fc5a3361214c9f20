"""Why a job was not moved."""

from dataclasses import dataclass
from typing import Final

from toril.bullmq.wire.state import JobState, state_at
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Reply
from toril.core.script import Script

_MISSING: Final = 0
_MOVED: Final = 1
_ELSEWHERE: Final = 2


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing was changed: the job is in another state, or there is none with this id."""

    state: JobState | None


def refusal_in(script: Script, reply: Reply) -> Refused | None:
    """What stood against the move; None when it was made."""
    match reply:
        case [int(status)] if status == _MOVED:
            return None
        case [int(status)] if status == _MISSING:
            return Refused(None)
        case [int(status), bytes(place)] if status == _ELSEWHERE:
            return Refused(state_at(place.decode()))
        case _:
            raise UnexpectedReplyError(script.name, reply)
