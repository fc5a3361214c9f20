"""toril as an actor: the same verbs as `node/verbs.mjs`, through toril's public face."""

import traceback
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from typing import Final, cast

from tests.conformance.actor import Place, StepError
from tests.conformance.toril_by_hand import BY_HAND_VERBS
from tests.conformance.toril_cancelling import CANCELLING_VERBS
from tests.conformance.toril_families import FAMILY_VERBS
from tests.conformance.toril_limits import LIMIT_VERBS
from tests.conformance.toril_looking import LOOKING_VERBS
from tests.conformance.toril_moving import MOVING_VERBS
from tests.conformance.toril_options import to_toril
from tests.conformance.toril_queue_moves import QUEUE_MOVES
from tests.conformance.toril_stage import TorilStage

from toril.core.errors import JobFailedError, TorilError

Arguments = Mapping[str, object]
Verb = Callable[[TorilStage, Arguments], Awaitable[object]]


class TorilDriver:
    """Keeps what each queue needs until the scenario is over."""

    def __init__(self) -> None:
        self._stages: dict[Place, TorilStage] = {}

    async def do(self, place: Place, verb: str, arguments: Arguments) -> object:
        """Carry out one step."""
        if verb not in VERBS:
            raise StepError(f"toril cannot {verb}")
        stage = self._stages.setdefault(place, TorilStage(place))
        try:
            return await VERBS[verb](stage, arguments)
        except TorilError as error:
            raise StepError(f"{type(error).__name__}: {error}") from error
        except Exception as error:
            raise StepError(traceback.format_exc()) from error

    async def leave(self) -> None:
        """Close every queue and worker of the scenario."""
        stages, self._stages = self._stages, {}
        for stage in stages.values():
            await stage.close()


async def _add(stage: TorilStage, step: Arguments) -> object:
    options = to_toril(step.get("options"))
    job = await stage.queue.add(str(step["name"]), step.get("data"), **options)  # type: ignore[arg-type]
    return job.id


async def _add_many(stage: TorilStage, step: Arguments) -> object:
    jobs = cast("list[Arguments]", step["jobs"])
    specs = [(job["name"], job.get("data"), to_toril(job.get("options"))) for job in jobs]
    return [job.id for job in await stage.queue.add_many(specs)]  # type: ignore[arg-type]


async def _deduplication_owner(stage: TorilStage, step: Arguments) -> object:
    return await stage.queue.deduplication_owner(str(step["id"]))


async def _remove_deduplication(stage: TorilStage, step: Arguments) -> object:
    return await stage.queue.remove_deduplication(str(step["id"]))


async def _counts(stage: TorilStage, _step: Arguments) -> object:
    counts = asdict(await stage.queue.counts())
    del counts["waiting_children"]
    return counts


async def _read(stage: TorilStage, step: Arguments) -> object:
    record = (await stage.job(str(step["job"]))).record
    return {
        "name": record.name,
        "data": record.data,
        "result": record.return_value,
        "failed_reason": record.failed_reason,
        "attempts_made": record.attempts_made,
    }


async def _claim(stage: TorilStage, step: Arguments) -> object:
    return await stage.claims.claim(str(step["worker"]), _worker_options(step))


async def _complete(stage: TorilStage, step: Arguments) -> object:
    fetch = bool(step.get("fetch"))
    return await stage.claims.complete(str(step["job"]), step.get("value"), fetch=fetch)


async def _fail(stage: TorilStage, step: Arguments) -> object:
    final, fetch = bool(step.get("final")), bool(step.get("fetch"))
    job_id, message = str(step["job"]), str(step["error"])
    return await stage.claims.fail(job_id, message, final=final, fetch=fetch)


async def _renew(stage: TorilStage, step: Arguments) -> object:
    return await stage.claims.renew(str(step["job"]))


async def _check_stalled(stage: TorilStage, step: Arguments) -> object:
    return await stage.claims.check_stalled(str(step["worker"]), _worker_options(step))


async def _start_worker(stage: TorilStage, step: Arguments) -> object:
    await stage.start_worker(str(step["worker"]), _worker_options(step))
    return None


async def _stop_worker(stage: TorilStage, step: Arguments) -> object:
    return await stage.stop_worker(str(step["worker"]))


async def _result(stage: TorilStage, step: Arguments) -> object:
    job = await stage.job(str(step["job"]))
    try:
        return {"value": await job.result(timeout=cast("int", step["timeout_ms"]) / 1000)}
    except JobFailedError as error:
        return {"error": error.reason}


async def _progress(stage: TorilStage, step: Arguments) -> object:
    await (await stage.job(str(step["job"]))).set_progress(step["value"])
    return None


async def _log(stage: TorilStage, step: Arguments) -> object:
    await (await stage.job(str(step["job"]))).log(str(step["row"]))
    return None


def _worker_options(step: Arguments) -> Arguments:
    return cast("Arguments", step.get("worker_options", {}))


VERBS: Final[Mapping[str, Verb]] = {
    **CANCELLING_VERBS,
    **BY_HAND_VERBS,
    **LIMIT_VERBS,
    **FAMILY_VERBS,
    **LOOKING_VERBS,
    **MOVING_VERBS,
    **QUEUE_MOVES,
    "add": _add,
    "add_many": _add_many,
    "check_stalled": _check_stalled,
    "claim": _claim,
    "complete": _complete,
    "counts": _counts,
    "deduplication_owner": _deduplication_owner,
    "fail": _fail,
    "log": _log,
    "progress": _progress,
    "read": _read,
    "remove_deduplication": _remove_deduplication,
    "renew": _renew,
    "result": _result,
    "start_worker": _start_worker,
    "stop_worker": _stop_worker,
}
