"""How a lock is set up: what people may say, checked."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypedDict

from toril.core.checks import check_truth, check_whole
from toril.core.durations import Duration, to_ms
from toril.core.errors import BadInputError
from toril.core.option_names import check_names
from toril.telemetry.emitter import Emitter
from toril.toolkit.keys import check_name
from toril.toolkit.leases.terms import LONGEST_MS, SHORTEST_MS, Terms, check_ttl, check_wait

FLAG: Final = "flag"
_MOST_REPLICAS: Final = 100
_LONGEST_TIMEOUT_MS: Final = 3_600_000


class LockOptions(TypedDict, total=False):
    """What can be said about a lock."""

    ttl: Duration
    """How long it is held without word of its holder; 30 s."""

    wait: Duration | None
    """How long to wait for it where a call does not say; as long as it takes."""

    renew: bool
    """Whether it is renewed while its holder lives; True."""

    max_hold: Duration | None
    """How long it may be held in all; without an end by default."""

    fair: bool
    """Whether it goes to whoever waits the longest; False."""

    replicas: int | None
    """How many replicas must have heard of it before it counts as held; none by default."""

    on_lost: Literal["flag"] | Callable[..., object] | None
    """What to do with every lease that is lost: call this with it, or only `"flag"` it."""

    label: str | None
    """What its holder is called, for whoever asks `info()`."""

    prefix: str | None
    """What its keys start with; `toril`."""

    timeout: Duration
    """How long to wait for an answer of the server; 5 s."""

    emitter: Emitter
    """Who hears of events, instead of the standard library's logging."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The same, checked."""

    terms: Terms
    wait_ms: int | None
    is_fair: bool
    label: str
    timeout_ms: int
    on_lost: Callable[..., object] | None
    cancels: bool

    @staticmethod
    def of(options: LockOptions, whose: str = "lock") -> "Settings":
        """Read them.

        Raises:
            BadInputError: it names the option, and what it may be.
        """
        check_names(options, LockOptions, whose)
        on_lost = options.get("on_lost")
        if on_lost not in (None, FLAG) and not callable(on_lost):
            raise BadInputError("on_lost", f"{on_lost!r} is neither {FLAG!r} nor a function")
        label = options.get("label")
        timeout_ms = to_ms(
            options.get("timeout", 5), "timeout", minimum=1, maximum=_LONGEST_TIMEOUT_MS
        )
        return Settings(
            terms=_terms(options),
            wait_ms=check_wait(options.get("wait")),
            is_fair=check_truth(options.get("fair", False), "fair"),
            label="" if label is None else check_name(label, "label"),
            timeout_ms=timeout_ms,
            on_lost=on_lost if callable(on_lost) else None,
            cancels=on_lost != FLAG,
        )


def _terms(options: LockOptions) -> Terms:
    max_hold, replicas = options.get("max_hold"), options.get("replicas")
    return Terms(
        ttl_ms=check_ttl(options.get("ttl", 30)),
        renews=check_truth(options.get("renew", True), "renew"),
        max_hold_ms=(
            None
            if max_hold is None
            else to_ms(max_hold, "max_hold", minimum=SHORTEST_MS, maximum=LONGEST_MS)
        ),
        replicas=0 if replicas is None else check_whole(replicas, "replicas", 0, _MOST_REPLICAS),
    )
