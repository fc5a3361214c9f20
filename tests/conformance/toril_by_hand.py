"""Steps that take a job and settle it by hand. Each answers whether the lock was still there."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Final, cast

from tests.conformance.toril_claims import JobError
from tests.conformance.toril_stage import TorilStage

from toril.bullmq import AsyncClaimedJob
from toril.core.errors import ConflictError, PermanentError

Arguments = Mapping[str, object]
Verb = Callable[[TorilStage, Arguments], Awaitable[object]]


async def _take(stage: TorilStage, step: Arguments) -> object:
    claimed = await stage.by_hand(
        str(step["worker"]), cast("Arguments", step.get("worker_options", {}))
    ).take(timeout=0)
    if claimed is None:
        return None
    stage.in_hand[claimed.id] = claimed
    return claimed.id


async def _complete(stage: TorilStage, step: Arguments) -> object:
    await _held(stage, step).complete(step.get("value"))
    return True


async def _fail(stage: TorilStage, step: Arguments) -> object:
    message = str(step["error"])
    await _held(stage, step).fail(
        PermanentError(message) if step.get("final") else JobError(message)
    )
    return True


async def _delay(stage: TorilStage, step: Arguments) -> object:
    await _held(stage, step).delay(timedelta(milliseconds=cast("int", step["delay_ms"])))
    return True


async def _give_back(stage: TorilStage, step: Arguments) -> object:
    await _held(stage, step).give_back()
    return True


async def _renew(stage: TorilStage, step: Arguments) -> object:
    await _held(stage, step).renew()
    return True


async def _wait_for_children(stage: TorilStage, step: Arguments) -> object:
    return await _held(stage, step).wait_for_children()


def _held(stage: TorilStage, step: Arguments) -> AsyncClaimedJob:
    return stage.in_hand[str(step["job"])]


def _attempt(verb: Verb) -> Verb:
    async def attempt(stage: TorilStage, step: Arguments) -> object:
        try:
            return await verb(stage, step)
        except ConflictError:
            return False

    return attempt


BY_HAND_VERBS: Final[Mapping[str, Verb]] = {
    "take": _take,
    "hand_complete": _attempt(_complete),
    "hand_fail": _attempt(_fail),
    "hand_delay": _attempt(_delay),
    "hand_give_back": _attempt(_give_back),
    "hand_renew": _attempt(_renew),
    "hand_wait_for_children": _wait_for_children,
}
