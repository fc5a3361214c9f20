"""The limiter: asks the server, waits for slots, and gives back what is not used."""  # generated from _async/limiter.py by tools/generate_sync.py: edit that file

from collections.abc import Callable, Sequence
from typing import Any, Final, ParamSpec, Self, TypeVar, Unpack

from toril.core.durations import Duration, to_ms
from toril.telemetry.emitter import Emitter
from toril.toolkit._sync.client import Client
from toril.toolkit._sync.function import Function
from toril.toolkit.limits._sync.desk import Desk, refund
from toril.toolkit.limits._sync.guard import Guard, Limiting
from toril.toolkit.limits._sync.reservation import Reservation
from toril.toolkit.limits._sync.together import Question, hit_together
from toril.toolkit.limits.arbiter import Arbiter
from toril.toolkit.limits.call_key import CostOf, KeyOf
from toril.toolkit.limits.decision import Decision
from toril.toolkit.limits.limit import Limit
from toril.toolkit.limits.operations.hit import ONLY_TELL
from toril.toolkit.limits.operations.reset import Reset
from toril.toolkit.limits.options import LimiterOptions
from toril.toolkit.limits.standing import Standing
from toril.toolkit.limits.stats import LimiterStats

P = ParamSpec("P")
R = TypeVar("R")


class RateLimiter:
    """Keeps calls to limits, over all processes that use a limiter of this name.

    `key` says whose calls are counted: a user, an address, a tenant. All limits of a key allow a
    call, or none of them counts it; the server's clock decides. A refusal changes nothing.

    When the server does not answer within `timeout`, `on_error` says what happens: `local` keeps
    the same limits in this process alone (so N processes admit up to N times as much), `closed`
    refuses, which suits logins, `open` allows, and `raise` raises. Until the server is back, one
    call in a while looks for it, and the others do not wait.

    After a refusal the process answers the same question itself, for `deny_cache` seconds at most.
    Limiters with a common `scope` may be asked together in one step, by `hit_all`.

    Raises:
        BadInputError: a name, a limit or an option cannot be one.

    >>> with RateLimiter("api", Limit("100/minute"), "embedded://") as limiter:
    ...     decision = limiter.hit("user:7")
    ...     decision.allowed, decision.remaining
    (True, 99)
    """

    def __init__(
        self,
        name: str,
        limits: Limit | Sequence[Limit],
        target: object = None,
        *,
        timeout: Duration = 0.25,
        emitter: Emitter | None = None,
        **options: Unpack[LimiterOptions],
    ) -> None:
        arbiter = Arbiter(name, limits, options)
        timeout_ms = to_ms(timeout, "timeout", minimum=1)
        client = Client(target, timeout_ms=timeout_ms, emitter=emitter)
        arbiter.emitter = client.emitter
        self._arbiter: Final = arbiter
        self._client: Final = client
        self._desk: Final = Desk(arbiter, client)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._arbiter.name} {self._client.target.label}>"

    @property
    def name(self) -> str:
        """The name."""
        return self._arbiter.name

    def hit(self, key: str, cost: int = 1, *, operation_id: str | None = None) -> Decision:
        """Count a call, if all limits allow it now.

        With an `operation_id` of its own a call counts once, however often it is made within a
        minute; without one a reply that is lost may have counted.

        Raises:
            BadInputError: the key is no text of 1 to 512 bytes, or the cost is not from 0 to 2^31.
            UnavailableError: the server was not there, and `on_error` is `raise`.
            OutcomeUnknownError: its reply was lost, and `on_error` is `raise`.
        """
        return self._desk.hit(key, cost, operation_id)

    def peek(self, key: str, cost: int = 1) -> Decision:
        """What `hit` would say, without counting anything.

        Raises:
            BadInputError: as for `hit`.
            UnavailableError: the server was not there, and `on_error` is `raise`.
        """
        return self._desk.decide(self._arbiter.request(key, cost, patience_us=ONLY_TELL))

    def inspect(self, key: str) -> dict[str, Standing]:
        """How the limits of a key stand, by the names of their keys in Redis; changes nothing.

        Raises:
            BadInputError: the key cannot be one.
            UnavailableError: the server was not there.
        """
        request = self._arbiter.request(key, 0, patience_us=ONLY_TELL)
        decision = self._arbiter.decided(request, self._client.run(request.hit), self._desk)
        return dict(zip(request.keys.limits, decision.standings, strict=True))

    def acquire(
        self,
        key: str,
        cost: int = 1,
        *,
        timeout: Duration | None = None,  # noqa: ASYNC109 - no cancelling
    ) -> Decision:
        """Wait until all limits allow a call, for `timeout` at most; without one, however long.

        The slot is taken when this asks, which it does once, and those who wait go in the order in
        which they asked. Where no slot comes in time this refuses at once. Somebody who waits
        and is cancelled gives the slot back, unless others behind have theirs because of it.

        Raises:
            BadInputError: as for `hit`, or the timeout is no duration.
            UnavailableError: the server was not there, and `on_error` is `raise`.
            OutcomeUnknownError: its reply was lost, and `on_error` is `raise`.
        """
        return self._desk.acquire(key, cost, timeout)

    def refund(self, decision: Decision) -> bool:
        """Give back what a decision has taken, because it was not used; False when it took nothing.

        What time has given back already stays as it is, and so does what others wait behind.
        A decision is refunded once; whatever becomes of the reply, nothing is given back twice.

        Raises:
            UnavailableError: the server was not there, and `on_error` is `raise`.
            OutcomeUnknownError: its reply was lost, and `on_error` is `raise`.
        """
        return refund(decision)

    def reserve(self, key: str, estimate: int) -> Reservation:
        """Count an estimate of what a call will cost, to be corrected by `settle`.

        Raises:
            BadInputError: the key or the estimate cannot be one.
            LimitExceededError: the limits do not allow so much now.
            UnavailableError: the server was not there, and `on_error` is `raise`.
            OutcomeUnknownError: its reply was lost, and `on_error` is `raise`.
        """
        decision = self._desk.hit(key, estimate)
        return Reservation(self._desk, decision.raise_for_limit())

    @staticmethod
    def hit_all(calls: "Sequence[tuple[RateLimiter, str, int]]") -> Decision:
        """Count a call with several limiters, keys and costs, if all of them allow it now.

        Limiters of one scope, prefix and server are asked in one step. Others are asked one after
        the other, and what the first ones granted is given back when a later one refuses: for a
        moment others may be refused for it, but never is too much granted.

        Raises:
            BadInputError: there is no call, or two of them are for the same key of a limiter.
            UnavailableError: a server was not there, and an `on_error` is `raise`.
            OutcomeUnknownError: a reply was lost, and an `on_error` is `raise`.
        """
        return hit_together([one._question(key, cost) for one, key, cost in calls])  # noqa: SLF001 - its own kind

    def limit(
        self,
        *,
        key: KeyOf,
        cost: CostOf = 1,
        wait: Duration | None = None,
        fallback: Function[..., Any] | None = None,
    ) -> Callable[[Function[P, R]], Function[P, R]]:
        """Make a function ask before it runs.

        The key is a template over the parameters, such as `user:{user_id}`, or a function of the
        arguments; so may the cost be. With `wait` it waits for so long. When it is refused the
        `fallback` is called instead, or `LimitExceededError` raised.

        Raises:
            BadInputError: the template names something that is no parameter.
        """
        return Limiting(self._desk, key, cost, wait, fallback).around

    def guard(self, key: str, cost: int = 1, *, wait: Duration | None = None) -> Guard:
        """A context that is entered if the limits allow it, within `wait` where that is given.

        Entering it raises `LimitExceededError` otherwise, and what `hit` and `acquire` raise.
        """
        return Guard(self._desk, key, cost, wait)

    def reset(self, key: str) -> None:
        """Forget what was granted to a key; a refund of it gives nothing back any more.

        Raises:
            BadInputError: the key cannot be one.
            UnavailableError: the server was not there.
        """
        keys = self._arbiter.keys(key).limits
        self._arbiter.denials.forget(key)
        self._arbiter.local.reset(keys)
        self._client.run(Reset(keys=keys))

    def stats(self) -> LimiterStats:
        """What this limiter has done in this process."""
        return self._arbiter.tally.stats

    def close(self) -> None:
        """Let go of the connection, where no others share it."""
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _question(self, key: str, cost: int) -> Question:
        return self._desk, self._arbiter.request(key, cost)
