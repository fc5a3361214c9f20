"""Steps that set the limits of a queue, or look at them."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Final, cast

from tests.conformance.toril_stage import TorilStage

from toril.core.outcome import RateLimited

Arguments = Mapping[str, object]

_MS: Final = timedelta(milliseconds=1)


async def _set_global_concurrency(stage: TorilStage, step: Arguments) -> None:
    await stage.queue.limits.set_global_concurrency(cast("int", step["concurrency"]))


async def _remove_global_concurrency(stage: TorilStage, _step: Arguments) -> None:
    await stage.queue.limits.remove_global_concurrency()


async def _set_global_rate_limit(stage: TorilStage, step: Arguments) -> None:
    most = cast("int", step["max"])
    await stage.queue.limits.set_global_rate_limit(most, _duration(step))


async def _remove_global_rate_limit(stage: TorilStage, _step: Arguments) -> None:
    await stage.queue.limits.remove_global_rate_limit()


async def _rate_limit(stage: TorilStage, step: Arguments) -> None:
    await stage.queue.limits.rate_limit(_duration(step))


async def _rest(stage: TorilStage, step: Arguments) -> None:
    what = RateLimited(for_=cast("int", step["for_ms"]) * _MS)
    await stage.claims.say(str(step["job"]), what)


async def _remove_rate_limit(stage: TorilStage, _step: Arguments) -> None:
    await stage.queue.limits.remove_rate_limit()


async def _limits(stage: TorilStage, step: Arguments) -> object:
    limits = stage.queue.limits
    rate = await limits.global_rate_limit()
    return {
        "concurrency": await limits.global_concurrency(),
        "rate_limit": rate and {"max": rate.max, "duration_ms": rate.duration_ms},
        "is_limited": await limits.rate_limit_ttl(cast("int | None", step.get("max"))) is not None,
        "is_maxed": await limits.is_maxed(),
    }


def _duration(step: Arguments) -> timedelta:
    return cast("int", step["duration_ms"]) * _MS


LIMIT_VERBS: Final[Mapping[str, Callable[[TorilStage, Arguments], Awaitable[object]]]] = {
    "limits": _limits,
    "rate_limit": _rate_limit,
    "remove_global_concurrency": _remove_global_concurrency,
    "remove_global_rate_limit": _remove_global_rate_limit,
    "remove_rate_limit": _remove_rate_limit,
    "rest": _rest,
    "set_global_concurrency": _set_global_concurrency,
    "set_global_rate_limit": _set_global_rate_limit,
}
