"""How a lock is set up: what people may say, checked."""

from dataclasses import dataclass
from typing import Final

from toril.core.checks import check_truth, check_whole
from toril.toolkit.keys import check_name
from toril.toolkit.leases.options import LeaseOptions, LeaseSettings

_MOST_REPLICAS: Final = 100


class LockOptions(LeaseOptions, total=False):
    """What can be said about a lock."""

    fair: bool
    """Whether it goes to whoever waits the longest; False."""

    replicas: int | None
    """How many replicas must have heard of it before it counts as held; none by default."""

    label: str | None
    """What its holder is called, for whoever asks `info()`."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The same, checked."""

    leases: LeaseSettings
    is_fair: bool
    label: str

    @staticmethod
    def of(options: LockOptions) -> "Settings":
        """Read them.

        Raises:
            BadInputError: it names the option, and what it may be.
        """
        replicas, label = options.get("replicas"), options.get("label")
        copies = 0 if replicas is None else check_whole(replicas, "replicas", 0, _MOST_REPLICAS)
        return Settings(
            leases=LeaseSettings.of(options, LockOptions, "lock", replicas=copies),
            is_fair=check_truth(options.get("fair", False), "fair"),
            label="" if label is None else check_name(label, "label"),
        )
