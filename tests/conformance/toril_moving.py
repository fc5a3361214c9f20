"""Steps that look at one job by its id, move it, change it or remove it."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Final, cast

from tests.conformance.toril_stage import TorilStage

from toril.core.errors import ConflictError, NotFoundError

Arguments = Mapping[str, object]
Verb = Callable[[TorilStage, Arguments], Awaitable[object]]


async def _state(stage: TorilStage, step: Arguments) -> object:
    """As Node calls it: a paused job is waiting to it, and what is not there is unknown."""
    state = await stage.queue.jobs.state(str(step["job"])) or "unknown"
    return {"paused": "waiting", "waiting_children": "waiting-children"}.get(state, state)


async def _logs(stage: TorilStage, step: Arguments) -> object:
    """A scenario says the places of the first and the last row, as Node wants it."""
    start, end = cast("int", step["start"]), cast("int", step["end"])
    newest_first = bool(step.get("newest_first"))
    job_id, limit = str(step["job"]), end - start + 1
    jobs = stage.queue.jobs
    page = await jobs.logs(job_id, start=start, limit=limit, newest_first=newest_first)
    return {"rows": list(page.rows), "total": page.total}


async def _clear_logs(stage: TorilStage, step: Arguments) -> object:
    await stage.queue.jobs.clear_logs(str(step["job"]), keep=cast("int", step.get("keep", 0)))
    return True


async def _update_data(stage: TorilStage, step: Arguments) -> object:
    await stage.queue.jobs.update_data(str(step["job"]), step["data"])
    return True


async def _promote(stage: TorilStage, step: Arguments) -> object:
    await stage.queue.jobs.promote(str(step["job"]))
    return True


async def _change_delay(stage: TorilStage, step: Arguments) -> object:
    delay = timedelta(milliseconds=cast("int", step["delay_ms"]))
    await stage.queue.jobs.change_delay(str(step["job"]), delay)
    return True


async def _change_priority(stage: TorilStage, step: Arguments) -> object:
    job_id, priority = str(step["job"]), cast("int", step["priority"])
    await stage.queue.jobs.change_priority(job_id, priority, lifo=bool(step.get("lifo")))
    return True


async def _retry(stage: TorilStage, step: Arguments) -> object:
    reset = bool(step.get("reset"))
    await stage.queue.jobs.retry(str(step["job"]), reset_attempts=reset)
    return True


async def _remove_pending_children(stage: TorilStage, step: Arguments) -> object:
    """Node does not say how many."""
    await stage.queue.jobs.remove_pending_children(str(step["job"]))
    return None


async def _leave_parent(stage: TorilStage, step: Arguments) -> object:
    return await stage.queue.jobs.leave_parent(str(step["job"]))


async def _remove(stage: TorilStage, step: Arguments) -> object:
    """Node answers the same for a job that was not there."""
    await stage.queue.jobs.remove(str(step["job"]), children=bool(step.get("children", True)))
    return True


def _attempt(verb: Verb) -> Verb:
    """Whether it could be done: the messages of refusals are each side's own."""

    async def attempt(stage: TorilStage, step: Arguments) -> object:
        try:
            return await verb(stage, step)
        except (ConflictError, NotFoundError):
            return False

    return attempt


MOVING_VERBS: Final[Mapping[str, Verb]] = {
    "state": _state,
    "logs": _logs,
    "clear_logs": _attempt(_clear_logs),
    "update_data": _attempt(_update_data),
    "promote": _attempt(_promote),
    "change_delay": _attempt(_change_delay),
    "change_priority": _attempt(_change_priority),
    "remove_pending_children": _remove_pending_children,
    "leave_parent": _leave_parent,
    "remove": _attempt(_remove),
    "retry": _attempt(_retry),
}
