"""One of something for each target and process, made when it is first asked for."""

import threading
from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

from toril.core.process import in_every_fork

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class PerTarget(Generic[K, T]):
    """A fork begins without any, and whoever held the lock is not there either."""

    def __init__(self, make: Callable[[K], T]) -> None:
        self._make: Final = make
        self._renew()
        in_every_fork(self._renew)

    def of(self, target: K) -> T:
        """The one for this target; from any thread."""
        with self._guard:
            found = self._made.get(target)
            if found is None:
                found = self._made[target] = self._make(target)
            return found

    def _renew(self) -> None:
        self._guard = threading.Lock()
        self._made: dict[K, T] = {}
