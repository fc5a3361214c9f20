"""Cancelling jobs, as scenarios write it; Node's half is `node/cancelling_verbs.mjs`."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from tests.conformance.toril_stage import TorilStage

from toril.core.errors import ConflictError, JobNotFoundError, JobStateError


async def _cancel(stage: TorilStage, step: Mapping[str, object]) -> object:
    try:
        return (await stage.queue.jobs.cancel(str(step["job"]))).value
    except JobStateError as error:
        return error.state
    except JobNotFoundError:
        return "missing"
    except ConflictError:
        return "refused"


CANCELLING_VERBS: Final[
    Mapping[str, Callable[[TorilStage, Mapping[str, object]], Awaitable[object]]]
] = {"cancel": _cancel}
