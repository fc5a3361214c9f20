"""How a lock on several servers is set up: what people may say, checked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from toril.core.durations import Duration
from toril.core.errors import BadInputError
from toril.toolkit.keys import check_name
from toril.toolkit.leases.options import LeaseOptions, LeaseSettings, check_timeout
from toril.toolkit.leases.terms import check_ttl
from toril.toolkit.redlock.rules import SIZES, answer_within_ms

_SIZES_SAID: Final = ", ".join(map(str, SIZES[:-1])) + f" or {SIZES[-1]}"


class RedlockOptions(LeaseOptions, total=False):
    """What can be said about a lock on several servers; `timeout` is that of each server."""

    max_ttl: Duration
    """The longest lease anybody takes on these servers; one that was restarted has no vote for
    so long, and no lease is extended by more. `ttl` unless it is said."""

    label: str | None
    """What its holder is called, for whoever looks at one of the servers."""


@dataclass(frozen=True, slots=True)
class RedlockSettings:
    """The same, checked."""

    leases: LeaseSettings
    longest_ms: int
    label: str

    @staticmethod
    def of(options: RedlockOptions) -> "RedlockSettings":
        """Read them.

        Raises:
            BadInputError: it names the option, and what it may be.
        """
        ttl_ms = check_ttl(options.get("ttl", 30))
        longest_ms = check_ttl(options.get("max_ttl", ttl_ms / 1000), "max_ttl")
        if longest_ms < ttl_ms:
            raise BadInputError("max_ttl", f"{longest_ms} ms is less than ttl, {ttl_ms} ms")
        timeout_ms = check_timeout(options.get("timeout", answer_within_ms(ttl_ms) / 1000))
        label = options.get("label")
        given = dict(options) | {"timeout": timeout_ms / 1000}
        return RedlockSettings(
            leases=LeaseSettings.of(given, RedlockOptions, "redlock"),
            longest_ms=longest_ms,
            label="" if label is None else check_name(label, "label"),
        )


def check_targets(targets: Sequence[object]) -> Sequence[object]:
    """The servers, if there can be a majority of them.

    Raises:
        BadInputError: it is no sequence, or not of such a length.
    """
    if isinstance(targets, str | bytes) or not isinstance(targets, Sequence):
        raise BadInputError("targets", "pass a list of URLs, clients or connections")
    if len(targets) not in SIZES:
        raise BadInputError("targets", f"there are {len(targets)}, and must be {_SIZES_SAID}")
    return targets
