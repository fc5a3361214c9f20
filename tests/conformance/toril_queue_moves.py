"""What toril does to all jobs of a queue at once: the twin of `node/queue_moves_verbs.mjs`."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Final, Literal, cast

from tests.conformance.toril_options import to_toril
from tests.conformance.toril_stage import TorilStage

from toril.core.errors import QueueBusyError

Arguments = Mapping[str, object]


async def _pause(stage: TorilStage, _step: Arguments) -> object:
    await stage.queue.pause()
    return None


async def _resume(stage: TorilStage, _step: Arguments) -> object:
    await stage.queue.resume()
    return None


async def _is_paused(stage: TorilStage, _step: Arguments) -> object:
    return await stage.queue.is_paused()


async def _pause_storm(stage: TorilStage, step: Arguments) -> object:
    """End with a resume, so that whoever of several storms is last leaves the queue running."""
    name, options = str(step["name"]), to_toril(step.get("options"))
    for _ in range(cast("int", step["rounds"])):
        await stage.queue.pause()
        await stage.queue.add(name, step.get("data"), **options)  # type: ignore[arg-type]
        await stage.queue.resume()
        await stage.queue.add(name, step.get("data"), **options)  # type: ignore[arg-type]
    return None


async def _trim_events(stage: TorilStage, step: Arguments) -> object:
    await stage.queue.trim_events(cast("int", step["max_length"]))
    return None


async def _retry_all(stage: TorilStage, step: Arguments) -> object:
    state = cast('Literal["failed", "completed"]', step.get("state", "failed"))
    before_ms = cast("int | None", step.get("before_ms"))
    before = None if before_ms is None else datetime.fromtimestamp(before_ms / 1000, UTC)
    await stage.queue.jobs.retry_all(state, before=before)
    return None


async def _promote_all(stage: TorilStage, _step: Arguments) -> object:
    await stage.queue.jobs.promote_all()
    return None


async def _drain(stage: TorilStage, step: Arguments) -> object:
    await stage.queue.drain(delayed=bool(step.get("delayed", False)))
    return None


async def _clean(stage: TorilStage, step: Arguments) -> object:
    ids = await stage.queue.jobs.clean(
        str(step["state"]).replace("wait", "waiting"),  # type: ignore[arg-type]
        grace=cast("int", step.get("grace_ms", 0)) / 1000,
        limit=cast("int | None", step.get("limit")),
    )
    return sorted(ids)


async def _obliterate(stage: TorilStage, step: Arguments) -> object:
    try:
        await stage.queue.obliterate(force=bool(step.get("force", True)))
    except QueueBusyError:
        return {"error": "Cannot obliterate queue with active jobs"}
    return None


QUEUE_MOVES: Final[Mapping[str, Callable[[TorilStage, Arguments], Awaitable[object]]]] = {
    "clean": _clean,
    "drain": _drain,
    "is_paused": _is_paused,
    "obliterate": _obliterate,
    "pause": _pause,
    "pause_storm": _pause_storm,
    "promote_all": _promote_all,
    "resume": _resume,
    "retry_all": _retry_all,
    "trim_events": _trim_events,
}
