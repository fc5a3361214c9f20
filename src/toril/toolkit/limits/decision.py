"""What a limiter answers."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, Self

import msgspec

from toril.toolkit.errors import LimitExceededError
from toril.toolkit.fork_lock import ForkLock
from toril.toolkit.limits.headers import ietf_headers, legacy_headers
from toril.toolkit.limits.limit import Limit
from toril.toolkit.limits.operations.hit import Hit
from toril.toolkit.limits.ruling import NEVER, Reading, Ruling
from toril.toolkit.limits.standing import Standing
from toril.toolkit.limits.wire import LimitKeys
from toril.toolkit.tokens import new_token

_US: Final = 1_000_000

_SPENDING: Final = ForkLock()


class Grant(msgspec.Struct, eq=False):
    """What was taken, so that it can be given back, once."""

    desk: object
    """Who took it, of either colour."""
    key: str
    keys: LimitKeys
    hit: Hit
    granted_us: int
    slot_us: int
    is_local: bool
    is_spent: bool = False

    def spend(self) -> bool:
        """Whether nobody has before, in whatever thread."""
        with _SPENDING:
            was_spent, self.is_spent = self.is_spent, True
        return not was_spent

    def correction(self) -> str:
        """The key of the receipt for correcting it: of two answers to one operation, the same."""
        operation_id = self.hit.operation_id
        word = f"{operation_id}@{self.slot_us}" if operation_id else new_token()
        return self.keys.correction(word)


class Decision(msgspec.Struct, frozen=True):
    """Whether something may happen, and how its limits stand.

    `degraded` says that the server was not asked, `cached` that it had refused the same just
    before. Seconds are told by the clock of whoever decided.
    """

    name: str
    """Of the limiter."""
    cost: int
    limits: Sequence[Limit]
    ruling: Ruling
    degraded: bool = False
    cached: bool = False
    grants: tuple[Grant, ...] = ()

    @property
    def allowed(self) -> bool:
        """Whether it was granted; what is peeked at, whether it would be."""
        return self.ruling.granted

    @property
    def wait(self) -> float:
        """Seconds from the decision to the moment it is granted for."""
        ruling = self.ruling
        return max(0, ruling.slot_us - ruling.now_us) / _US if ruling.granted else 0.0

    @property
    def retry_after(self) -> float | None:
        """Seconds until all limits would allow it; None when they never will."""
        ruling = self.ruling
        if ruling.granted:
            return 0.0
        return None if ruling.slot_us == NEVER else (ruling.slot_us - ruling.now_us) / _US

    @property
    def failed(self) -> Limit | None:
        """The limit that refuses it, or the one that refuses it longest."""
        ruling = self.ruling
        if ruling.granted:
            return None
        slots = [reading.slot_us for reading in ruling.readings]
        return self.limits[slots.index(NEVER if NEVER in slots else max(slots))]

    @property
    def standings(self) -> list[Standing]:
        """How each limit stands after this."""
        now_us = self.ruling.now_us
        return [
            Standing(limit, reading.left, (reading.neutral_us - now_us) / _US)
            for limit, reading in zip(self.limits, self.ruling.readings, strict=True)
        ]

    @property
    def limit(self) -> Limit:
        """The limit that matters most: the one that refuses, or has least left."""
        return self._tightest.limit

    @property
    def remaining(self) -> int:
        """How much more that limit would grant now."""
        return self._tightest.remaining

    @property
    def reset_after(self) -> float:
        """Seconds until all of that limit is back, when nothing else happens."""
        return self._tightest.reset_after

    @property
    def _tightest(self) -> Standing:
        failed = self.failed
        if failed is not None:
            return self.standings[list(self.limits).index(failed)]
        return min(self.standings, key=lambda one: one.remaining)

    def headers(self, style: Literal["ietf", "legacy"] = "ietf") -> Mapping[str, str]:
        """What a response says about this: `RateLimit…`, or with `legacy` `X-RateLimit-…`.

        A refused one says `Retry-After` as well, in whole seconds, rounded up.

        Raises:
            BadInputError: there is no such style.
        """
        if style == "ietf":
            return ietf_headers(self.standings, self.retry_after)
        return legacy_headers(style, self._tightest, self.retry_after)

    def raise_for_limit(self) -> Self:
        """The decision itself, if it allows.

        Raises:
            LimitExceededError: it does not.
        """
        failed = self.failed
        if failed is not None:
            raise LimitExceededError(self.name, failed.rate, self.retry_after)
        return self


def combined(decisions: Sequence[Decision]) -> Decision:
    """One decision out of several that were all granted, each by its own clock."""
    first = decisions[0]
    now_us = first.ruling.now_us
    readings = [
        Reading(now_us, reading.left, reading.neutral_us - one.ruling.now_us + now_us)
        for one in decisions
        for reading in one.ruling.readings
    ]
    return Decision(
        first.name,
        sum(one.cost for one in decisions),
        [limit for one in decisions for limit in one.limits],
        first.ruling._replace(readings=readings),
        degraded=any(one.degraded for one in decisions),
        grants=tuple(grant for one in decisions for grant in one.grants),
    )
