"""How semaphores and read-write locks are set up: what people may say, checked."""

from typing import Final, Literal

from toril.core.checks import check_one_of, check_truth
from toril.toolkit.leases.options import LeaseOptions, LeaseSettings
from toril.toolkit.permits.wire import Order

_PREFERENCES: Final = (Order.ARRIVAL.value, Order.WRITERS.value, Order.READERS.value)


class SemaphoreOptions(LeaseOptions, total=False):
    """What can be said about a semaphore."""

    fair: bool
    """Whether whoever came first is let in first; True."""


class RWLockOptions(LeaseOptions, total=False):
    """What can be said about a read-write lock."""

    prefer: Literal["arrival", "writers", "readers"]
    """Who is let in first; whoever came first."""


def semaphore_settings(options: SemaphoreOptions) -> tuple[LeaseSettings, Order]:
    """Read them.

    Raises:
        BadInputError: it names the option, and what it may be.
    """
    settings = LeaseSettings.of(options, SemaphoreOptions, "semaphore")
    is_fair = check_truth(options.get("fair", True), "fair")
    return settings, Order.ARRIVAL if is_fair else Order.ANY


def rwlock_settings(options: RWLockOptions) -> tuple[LeaseSettings, Order]:
    """Read them.

    Raises:
        BadInputError: it names the option, and what it may be.
    """
    settings = LeaseSettings.of(options, RWLockOptions, "read-write lock")
    preference = options.get("prefer", Order.ARRIVAL.value)
    return settings, Order(check_one_of(preference, _PREFERENCES, "prefer"))
