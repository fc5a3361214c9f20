"""Steps that look at one job by its id, move it, change it or remove it."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from tests.conformance.toril_stage import TorilStage

Arguments = Mapping[str, object]


async def _state(stage: TorilStage, step: Arguments) -> object:
    """As Node calls it: a paused job is waiting to it, and what is not there is unknown."""
    state = await stage.queue.jobs.state(str(step["job"])) or "unknown"
    return {"paused": "waiting", "waiting_children": "waiting-children"}.get(state, state)


MOVING_VERBS: Final[Mapping[str, Callable[[TorilStage, Arguments], Awaitable[object]]]] = {
    "state": _state,
}
