"""What a cache expects of a level in front of Redis: the memory of this process.

The cache asks the level first and tells it what it reads. The level alone knows when something
has changed on the server, and forgets it then. Its keys are those of Redis: the values of a cache
and the generations of its tags. What it holds are bytes as they are stored there.

One object serves both colours: its methods are called from any thread and never wait.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from toril.core.checks import check_whole
from toril.core.durations import Duration, to_ms

_MOST_ITEMS: Final = 10_000_000
_MOST_BYTES: Final = 2**40
_LONGEST_MS: Final = 24 * 3_600 * 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalLevel:
    """How much of a cache is kept in the memory of each process, and for how long at most."""

    max_items: int = 10_000
    max_bytes: int = 64 * 2**20
    max_ttl: Duration = 60

    def __post_init__(self) -> None:
        check_whole(self.max_items, "max_items", 1, _MOST_ITEMS)
        check_whole(self.max_bytes, "max_bytes", 1, _MOST_BYTES)
        to_ms(self.max_ttl, "max_ttl", minimum=1, maximum=_LONGEST_MS)


class Level(Protocol):
    """What the read path of a cache asks of it."""

    def get(self, key: str) -> bytes | None:
        """What is stored under this key now, as far as is known without asking."""
        ...

    def begin(self, key: str) -> int:
        """Called before the server is asked for the key: from here on a change is noticed.

        The number is for `store`; the time that `store` is given begins now.
        """
        ...

    def store(self, key: str, epoch: int, stored: bytes, ttl_ms: int) -> None:
        """Keep what the server said, unless the key has changed since `begin` gave this number.

        `stored` is empty when the server has nothing under the key: what was begun has ended.
        """
        ...

    def on_change(self, key: str, wake: Callable[[], None]) -> Callable[[], None]:
        """Call `wake` whenever the key changes, from any thread; what is returned ends that."""
        ...

    def close(self) -> None:
        """Forget everything and stop listening."""
        ...


class NoLevel:
    """Every read goes to the server."""

    def get(self, key: str) -> bytes | None:
        """Nothing is known."""
        del key
        return None

    def begin(self, key: str) -> int:
        """Nothing is noticed."""
        del key
        return 0

    def store(self, key: str, epoch: int, stored: bytes, ttl_ms: int) -> None:
        """Nothing is kept."""

    def on_change(self, key: str, wake: Callable[[], None]) -> Callable[[], None]:
        """Nobody is woken."""
        del key, wake
        return _nothing

    def close(self) -> None:
        """There is nothing to forget."""


def _nothing() -> None:
    pass
