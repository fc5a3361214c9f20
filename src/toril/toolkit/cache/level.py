"""What a cache expects of a level in front of Redis: the memory of this process.

The cache asks the level first and tells it what it reads. The level alone knows when something
has changed on the server, and forgets it then. Its keys are those of Redis.

One object serves both colours: its methods are called from any thread and never wait.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias

from toril.core.checks import check_one_of, check_whole
from toril.core.durations import Duration, to_ms

_MOST_ITEMS: Final = 10_000_000
_MOST_BYTES: Final = 2**40
_LONGEST_MS: Final = 24 * 3_600 * 1_000


NEVER: Final = -1
"""When a question was asked whose answer is not to be kept."""

Share: TypeAlias = Literal["bytes", "object"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalLevel:
    """How much of a cache is kept in the memory of each process, and for how long at most.

    >>> LocalLevel(max_items=1_000, max_ttl=30)
    LocalLevel(max_items=1000, max_bytes=67108864, max_ttl=30, share='bytes')

    Raises:
        BadInputError: names the limit that cannot be.
    """

    max_items: int = 10_000
    """Values."""

    max_bytes: int = 64 * 2**20
    """Of values as they are stored in Redis, with what keeping them costs."""

    max_ttl: Duration = 60
    """What is older is asked for again, whatever its time is."""

    share: Share = "bytes"
    """Whether each caller is given an object of its own, or all the same one, which is quicker
    and which nobody may change."""

    def __post_init__(self) -> None:
        check_whole(self.max_items, "max_items", 1, _MOST_ITEMS)
        check_whole(self.max_bytes, "max_bytes", 1, _MOST_BYTES)
        to_ms(self.max_ttl, "max_ttl", minimum=1, maximum=_LONGEST_MS)
        check_one_of(self.share, ("bytes", "object"), "share")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a level has to know of something that the server said."""

    since: int
    """When it was asked, from `begin`."""

    size: int
    """In bytes."""

    ttl_ms: int
    """How long it is fresh, counted from when the server was asked."""

    depends: Sequence[str]
    """Other keys with whose change it ends: the generations of its cache and its tags."""


class Level(Protocol):
    """What the read path of a cache asks of it."""

    def get(self, key: str) -> object:
        """What was kept under this key, as far as is known without asking; None for nothing."""
        ...

    def begin(self) -> int:
        """Called before the server is asked: from here on a change is noticed.

        The number is for `Told`.
        """
        ...

    def keep(self, key: str, thing: object, told: Told) -> None:
        """Keep what the server said, unless that has changed since it was asked."""
        ...

    def changed(self, keys: Sequence[str]) -> None:
        """These have changed, also for whoever has begun to ask for them: this process did it."""
        ...

    def on_change(self, key: str, wake: Callable[[], None]) -> Callable[[], None]:
        """Call `wake` whenever the key changes, from any thread; what is returned ends that."""
        ...

    def close(self) -> None:
        """Forget everything and stop listening."""
        ...


class NoLevel:
    """Every read goes to the server."""

    def get(self, key: str) -> object:
        """Nothing is known."""
        del key
        return None

    def begin(self) -> int:
        """Nothing is noticed."""
        return NEVER

    def keep(self, key: str, thing: object, told: Told) -> None:
        """Nothing is kept."""

    def changed(self, keys: Sequence[str]) -> None:
        """There is nothing to forget."""

    def on_change(self, key: str, wake: Callable[[], None]) -> Callable[[], None]:
        """Nobody is woken."""
        del key, wake
        return _nothing

    def close(self) -> None:
        """There is nothing to forget."""


def _nothing() -> None:
    pass
