"""A limit around a piece of code: a context, or a decorator."""

from dataclasses import dataclass
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar, cast

from toril.core.durations import Duration
from toril.toolkit._async.function import AsyncFunction
from toril.toolkit.limits._async.desk import AsyncDesk
from toril.toolkit.limits.call_key import CostOf, KeyOf, cost_maker, key_maker
from toril.toolkit.limits.decision import Decision

P = ParamSpec("P")
R = TypeVar("R")


class AsyncGuard:
    """Lets a block run if its limits allow it; made by `limiter.guard`."""

    def __init__(self, desk: AsyncDesk, key: str, cost: int, wait: Duration | None) -> None:
        self._desk: Final = desk
        self._key: Final = key
        self._cost: Final = cost
        self._wait: Final = wait

    async def decide(self) -> Decision:
        """Ask, and wait for as long as was said."""
        if self._wait is None:
            return await self._desk.hit(self._key, self._cost)
        return await self._desk.acquire(self._key, self._cost, self._wait)

    async def __aenter__(self) -> Decision:
        return (await self.decide()).raise_for_limit()

    async def __aexit__(self, *_: object) -> None:
        """What was granted was used, however the block ended."""


@dataclass(frozen=True, slots=True)
class AsyncLimiting:
    """How a decorated function asks; made by `limiter.limit`."""

    desk: AsyncDesk
    key: KeyOf
    cost: CostOf
    wait: Duration | None
    fallback: AsyncFunction[..., Any] | None

    def around(self, function: AsyncFunction[P, R]) -> AsyncFunction[P, R]:
        """The function, which asks before it runs."""
        key_of = key_maker(self.key, function)
        cost_of = cost_maker(self.cost)

        @wraps(function)
        async def ask_first(*args: P.args, **kwargs: P.kwargs) -> R:
            key, cost = key_of(*args, **kwargs), cost_of(*args, **kwargs)
            decision = await AsyncGuard(self.desk, key, cost, self.wait).decide()
            if self.fallback is not None and not decision.allowed:
                return cast("R", await self.fallback(*args, **kwargs))
            decision.raise_for_limit()
            return await function(*args, **kwargs)

        return ask_first
