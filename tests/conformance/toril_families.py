"""Steps about jobs that have children. Flows are added by Node, on both sides."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from tests.conformance.toril_stage import TorilStage

from toril.core.outcome import WaitForChildren

Arguments = Mapping[str, object]


async def _wait_for_children(stage: TorilStage, step: Arguments) -> object:
    return await stage.claims.say(str(step["job"]), WaitForChildren()) == "waits for its children"


FAMILY_VERBS: Final[Mapping[str, Callable[[TorilStage, Arguments], Awaitable[object]]]] = {
    "wait_for_children": _wait_for_children,
}
