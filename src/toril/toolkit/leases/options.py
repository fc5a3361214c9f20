"""What can be said about whatever is held under leases, checked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypedDict, cast

from toril.core.checks import check_truth
from toril.core.durations import Duration, to_ms
from toril.core.errors import BadInputError
from toril.core.option_names import check_names
from toril.telemetry.emitter import Emitter
from toril.toolkit.leases.terms import LONGEST_MS, SHORTEST_MS, Terms, check_ttl, check_wait

FLAG: Final = "flag"
_LONGEST_TIMEOUT_MS: Final = 3_600_000


class LeaseOptions(TypedDict, total=False):
    """What locks and their siblings have in common."""

    ttl: Duration
    """How long it is held without word of its holder; 30 s."""

    wait: Duration | None
    """How long to wait for it where a call does not say; as long as it takes."""

    renew: bool
    """Whether it is renewed while its holder lives; True."""

    max_hold: Duration | None
    """How long it may be held in all; without an end by default."""

    on_lost: Literal["flag"] | Callable[..., object] | None
    """What to do with every lease that is lost: call this with it, or only `"flag"` it.
    It may be a coroutine function for what is async itself."""

    prefix: str | None
    """What its keys start with; `toril`."""

    timeout: Duration
    """How long to wait for an answer of the server; 5 s."""

    emitter: Emitter
    """Who hears of events, instead of the standard library's logging."""


@dataclass(frozen=True, slots=True)
class LeaseSettings:
    """The same, checked."""

    terms: Terms
    wait_ms: int | None
    timeout_ms: int
    on_lost: Callable[..., object] | None
    cancels: bool

    @staticmethod
    def of(
        given: Mapping[str, object], known: type, whose: str, *, replicas: int = 0
    ) -> "LeaseSettings":
        """Read them; `known` is the TypedDict of all options there are.

        Raises:
            BadInputError: it names the option, and what it may be.
        """
        check_names(given, known, whose)
        options = cast("LeaseOptions", given)
        on_lost = options.get("on_lost")
        if on_lost not in (None, FLAG) and not callable(on_lost):
            raise BadInputError("on_lost", f"{on_lost!r} is neither {FLAG!r} nor a function")
        return LeaseSettings(
            terms=_terms(options, replicas),
            wait_ms=check_wait(options.get("wait")),
            timeout_ms=check_timeout(options.get("timeout", 5)),
            on_lost=on_lost if callable(on_lost) else None,
            cancels=on_lost != FLAG,
        )


def check_timeout(timeout: Duration, field: str = "timeout") -> int:
    """How long to wait for an answer, in milliseconds: 1 ms to an hour."""
    return to_ms(timeout, field, minimum=1, maximum=_LONGEST_TIMEOUT_MS)


def _terms(options: LeaseOptions, replicas: int) -> Terms:
    max_hold = options.get("max_hold")
    return Terms(
        ttl_ms=check_ttl(options.get("ttl", 30)),
        renews=check_truth(options.get("renew", True), "renew"),
        max_hold_ms=(
            None
            if max_hold is None
            else to_ms(max_hold, "max_hold", minimum=SHORTEST_MS, maximum=LONGEST_MS)
        ),
        replicas=replicas,
    )
