"""Who works for leases in the background: found anew at every use, because a fork has its own."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from toril.connection import Target
from toril.toolkit.leases.keeper import Keeper, keeper_of
from toril.toolkit.leases.wakeups import Bell, wakeups_of


class Ringer(Protocol):
    """Who rings for those who wait."""

    def listening(self, channel: str, member: str, bell: Bell) -> AbstractContextManager[None]:
        """Ring the bell when it is the turn of this member, or may be."""
        ...

    def end_if_idle(self) -> None:
        """Do not linger: whoever used it last has closed."""
        ...


@dataclass(frozen=True, slots=True)
class Backstage:
    """Where to find them."""

    keeper: Callable[[], Keeper]
    ringer: Callable[[], Ringer]

    @staticmethod
    def of(target: Target) -> "Backstage":
        """Of one server, which says itself whose turn it is."""
        return Backstage(partial(keeper_of, target), partial(wakeups_of, target))
