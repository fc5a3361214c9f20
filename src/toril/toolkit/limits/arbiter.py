"""All of a limiter that needs no network: what to ask, what the answer means, what if none comes.

Both colours of the limiter share this half. Threads may share it.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from toril.core.checks import check_one_of, check_whole
from toril.core.durations import LONGEST_MS, Duration, to_ms
from toril.core.errors import BadInputError, TorilError
from toril.core.option_names import check_names
from toril.telemetry.emitter import Emitter
from toril.telemetry.toolkit_limits import (
    HitAllowed,
    HitRefused,
    LimiterDegraded,
    LimiterRestored,
)
from toril.toolkit.keys import check_name, check_prefix
from toril.toolkit.limits.blackout import Blackout
from toril.toolkit.limits.decision import Decision, Grant
from toril.toolkit.limits.deny_cache import DenyCache
from toril.toolkit.limits.limit import Limit
from toril.toolkit.limits.local_limits import LocalLimits
from toril.toolkit.limits.operations.hit import ONLY_TELL, Hit
from toril.toolkit.limits.options import LimiterOptions, OnError
from toril.toolkit.limits.rate import MOST
from toril.toolkit.limits.ruling import Reading, Ruling
from toril.toolkit.limits.stats import Tally
from toril.toolkit.limits.wire import LimitKeys, Place

MOST_LIMITS: Final = 16

_POLICIES: Final[Sequence[OnError]] = ("local", "closed", "open", "raise")
_LONGEST_DENIAL_MS: Final = 1_000
_MOST_KNOWN: Final = 10_000
"""Keys whose names in Redis are not worked out again."""

_CLOSED_US: Final = 1_000_000
"""What a caller is told to wait while the server is away and nothing is granted."""


class Request(msgspec.Struct, frozen=True):
    """One question to a set of limits."""

    key: str
    cost: int
    keys: LimitKeys
    limits: Sequence[Limit]
    hit: Hit
    is_merged: bool = False
    """Whether it is a question of several limiters."""


class Arbiter:
    """What `name` allows, by these limits."""

    def __init__(self, name: str, limits: Limit | Sequence[Limit], options: LimiterOptions) -> None:
        check_names(options, LimiterOptions, "limiter")
        self.name: Final = check_name(name)
        self.limits: Final = _checked([limits] if isinstance(limits, Limit) else limits)
        self.on_error: Final = check_one_of(options.get("on_error", "local"), _POLICIES, "on_error")
        self.prefix: Final = check_prefix(options.get("prefix"))
        scope = options.get("scope")
        self.scope: Final = None if scope is None else check_name(scope, "scope")
        deny_ms = to_ms(options.get("deny_cache", 1.0), "deny_cache", maximum=_LONGEST_DENIAL_MS)
        self.denials: Final = DenyCache(deny_ms / 1000)
        self.blackout: Final = Blackout()
        self.local: Final = LocalLimits()
        self.tally: Final = Tally()
        self.emitter = Emitter()
        self._terms: Final = [limit.terms for limit in self.limits]
        self._known: Final[dict[str, LimitKeys]] = {}

    def request(
        self, key: str, cost: int, *, operation_id: str | None = None, patience_us: int = 0
    ) -> Request:
        """The question, checked.

        Raises:
            BadInputError: the key, the cost or the operation id cannot be one.
        """
        keys = self.keys(key)
        check_whole(cost, "cost", 0, MOST)
        word = "" if operation_id is None else check_name(operation_id, "operation_id")
        rows = [
            (name, kind, cost, measure, capacity, more)
            for name, (kind, measure, capacity, more) in zip(keys.limits, self._terms, strict=True)
        ]
        receipt_key = keys.receipt(word) if word else keys.no_receipt
        hit = Hit(receipt_key=receipt_key, rows=rows, operation_id=word, patience_us=patience_us)
        return Request(key, cost, keys, self.limits, hit)

    def keys(self, key: str) -> LimitKeys:
        """What the state of this key is called."""
        known = self._known.get(key) if key.__class__ is str else None
        if known is None:
            place = Place(self.prefix, self.name, check_name(key, "key"), self.scope)
            known = LimitKeys(place, [limit.part for limit in self.limits])
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = known
        return known

    def denied(self, key: object, cost: int) -> Decision | None:
        """What was refused just now, and still is."""
        denied = self.denials.find(key, cost) if isinstance(key, str) else None
        if denied:
            self.tally.count_cached()
        return denied

    def decided(self, request: Request, ruling: Ruling, desk: object) -> Decision:
        """What the server has said."""
        self.answered()
        return self._decision(request, ruling, desk, degraded=False)

    def answered(self) -> None:
        """The server is there."""
        if self.blackout.is_on and self.blackout.ended():
            self.emitter.emit(LimiterRestored(limiter=self.name))

    def unanswered(self, error: TorilError) -> None:
        """The server has not said anything in time.

        Raises:
            TorilError: what went wrong, where that is the policy.
        """
        if self.on_error == "raise":
            raise error
        if self.blackout.failed():
            self.emitter.emit(
                LimiterDegraded(limiter=self.name, policy=self.on_error, problem=str(error))
            )

    def decide_alone(self, request: Request, desk: object) -> Decision:
        """What is said while the server is away."""
        hit = request.hit
        match self.on_error:
            case "local":
                ruling = self.local.hit(hit.rows, hit.patience_us)
            case "open":
                readings = [Reading(0, limit.capacity, 0) for limit in request.limits]
                ruling = Ruling(True, 0, 0, readings)
            case _:
                readings = [Reading(_CLOSED_US, 0, _CLOSED_US) for _ in request.limits]
                ruling = Ruling(False, 0, _CLOSED_US, readings)
        return self._decision(request, ruling, desk, degraded=True)

    def _decision(
        self, request: Request, ruling: Ruling, desk: object, *, degraded: bool
    ) -> Decision:
        hit, cost = request.hit, request.cost
        if hit.patience_us == ONLY_TELL:
            ruling = ruling._replace(granted=ruling.slot_us == ruling.now_us)
            return Decision(self.name, cost, request.limits, ruling, degraded)
        if ruling.granted:
            moments = ruling.now_us, ruling.slot_us
            grant = Grant(desk, request.key, request.keys, hit, *moments, degraded)
            decision = Decision(
                self.name, cost, request.limits, ruling, degraded, grants=(grant,) if cost else ()
            )
        else:
            decision = Decision(self.name, cost, request.limits, ruling, degraded)
            if not (degraded or hit.patience_us or request.is_merged):
                self.denials.keep(request.key, decision)
        self._tell(decision)
        return decision

    def _tell(self, decision: Decision) -> None:
        self.tally.count(decision)
        cost, degraded, failed = decision.cost, decision.degraded, decision.failed
        self.emitter.emit(
            HitAllowed(
                limiter=self.name, cost=cost, wait_ms=decision.wait * 1000, degraded=degraded
            )
            if failed is None
            else HitRefused(limiter=self.name, cost=cost, limit=failed.rate, degraded=degraded)
        )


def merged(requests: Sequence[Request]) -> Request:
    """One question in place of several, whose keys share a slot."""
    first, *_ = requests
    rows = [row for request in requests for row in request.hit.rows]
    return Request(
        first.key,
        sum(request.cost for request in requests),
        first.keys,
        [limit for request in requests for limit in request.limits],
        Hit(receipt_key=first.hit.receipt_key, rows=rows),
        is_merged=True,
    )


def check_calls(requests: Sequence[Request]) -> None:
    """Refuse to ask about nothing, or about something twice in a breath.

    Raises:
        BadInputError: as it says.
    """
    keys = [row[0] for request in requests for row in request.hit.rows]
    if not keys:
        raise BadInputError("calls", "is empty")
    if len(set(keys)) < len(keys):
        raise BadInputError(
            "calls", "two are for the same key of the same limiter: add their costs"
        )


def patience_us(timeout: Duration | None) -> int:
    """How long somebody waits for a slot; ten years when nothing is said.

    Raises:
        BadInputError: it is no duration, or negative.
    """
    return (LONGEST_MS if timeout is None else to_ms(timeout, "timeout")) * 1000


def _checked(limits: Iterable[object]) -> tuple[Limit, ...]:
    checked: dict[str, Limit] = {}
    for limit in limits:
        if not isinstance(limit, Limit):
            raise BadInputError("limits", f"{limit!r} is not a Limit")
        if limit.part in checked:
            raise BadInputError(
                "limits",
                f"{checked[limit.part]!r} and {limit!r} have the same algorithm and period: "
                f"keep the stricter one",
            )
        checked[limit.part] = limit
    if not 1 <= len(checked) <= MOST_LIMITS:
        raise BadInputError("limits", f"pass 1 to {MOST_LIMITS} limits, not {len(checked)}")
    return tuple(checked.values())
