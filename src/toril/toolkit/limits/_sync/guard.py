"""A limit around a piece of code: a context, or a decorator."""  # generated from _async/guard.py by tools/generate_sync.py: edit that file

from dataclasses import dataclass
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar, cast

from toril.core.durations import Duration
from toril.toolkit._sync.function import Function
from toril.toolkit.limits._sync.desk import Desk
from toril.toolkit.limits.call_key import CostOf, KeyOf, cost_maker, key_maker
from toril.toolkit.limits.decision import Decision

P = ParamSpec("P")
R = TypeVar("R")


class Guard:
    """Lets a block run if its limits allow it; made by `limiter.guard`."""

    def __init__(self, desk: Desk, key: str, cost: int, wait: Duration | None) -> None:
        self._desk: Final = desk
        self._key: Final = key
        self._cost: Final = cost
        self._wait: Final = wait

    def decide(self) -> Decision:
        """Ask, and wait for as long as was said."""
        if self._wait is None:
            return self._desk.hit(self._key, self._cost)
        return self._desk.acquire(self._key, self._cost, self._wait)

    def __enter__(self) -> Decision:
        return (self.decide()).raise_for_limit()

    def __exit__(self, *_: object) -> None:
        """What was granted was used, however the block ended."""


@dataclass(frozen=True, slots=True)
class Limiting:
    """How a decorated function asks; made by `limiter.limit`."""

    desk: Desk
    key: KeyOf
    cost: CostOf
    wait: Duration | None
    fallback: Function[..., Any] | None

    def around(self, function: Function[P, R]) -> Function[P, R]:
        """The function, which asks before it runs."""
        key_of = key_maker(self.key, function)
        cost_of = cost_maker(self.cost)

        @wraps(function)
        def ask_first(*args: P.args, **kwargs: P.kwargs) -> R:
            key, cost = key_of(*args, **kwargs), cost_of(*args, **kwargs)
            decision = Guard(self.desk, key, cost, self.wait).decide()
            if self.fallback is not None and not decision.allowed:
                return cast("R", self.fallback(*args, **kwargs))
            decision.raise_for_limit()
            return function(*args, **kwargs)

        return ask_first
