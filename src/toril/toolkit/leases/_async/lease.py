"""What its holder has of a lease."""

from collections.abc import Callable
from functools import partial
from typing import Final, Protocol, TypeVar

from toril.core.durations import Duration
from toril.toolkit.errors import LeaseLostError
from toril.toolkit.leases._async.listener import at_home, check_listener, tell
from toril.toolkit.leases._async.signal import AsyncSignal
from toril.toolkit.leases.hold import NOT_THERE, Books
from toril.toolkit.leases.terms import check_ttl

H = TypeVar("H", bound=Books)
H_contra = TypeVar("H_contra", bound=Books, contravariant=True)


class AsyncAgent(Protocol[H_contra]):
    """Who speaks to the server, or the servers, for a lease."""

    async def extend(self, hold: H_contra, ttl_ms: int, /) -> bool:
        """Prolong it now; False when it is not held any more."""
        ...

    async def release(self, hold: H_contra, /) -> bool:
        """Let it go; False when it was not held any more."""
        ...


class AsyncLease:
    """Something is held, until it is released or lost.

    All that is known of one acquisition is in here; keep it as long as you need what it holds.
    One that nobody keeps is not renewed any more, and ends by itself. It is renewed in a thread
    of its own, however busy the rest of the process is. In a fork it is lost.

    >>> lease = await lock.acquire()
    >>> lease.check()
    >>> await lease.release()
    True
    """

    def __init__(self, hold: H, agent: AsyncAgent[H]) -> None:
        self._hold: Final[Books] = hold
        self._extend: Final = partial(agent.extend, hold)
        self._release: Final = partial(agent.release, hold)
        self._lost: Final = AsyncSignal()
        self._callbacks: list[Callable[[AsyncLease], object]] = []
        hold.on_lost(self._lost.set)

    def __repr__(self) -> str:
        state = self._hold.why or f"{self.remaining():.3f} s left"
        return f"<{type(self).__name__} {self.name} {state}>"

    @property
    def name(self) -> str:
        """What is held."""
        return self._hold.claim.name

    @property
    def fence(self) -> int:
        """Greater than that of every lease on this name before; show it to what you write to."""
        return self._hold.fence

    @property
    def token(self) -> str:
        """Which lease it is; no other has this."""
        return self._hold.claim.token

    @property
    def deadline(self) -> float:
        """Until when it certainly stands, by `time.monotonic()`, if it is not renewed again."""
        return self._hold.deadline

    @property
    def lost(self) -> AsyncSignal:
        """Set when it is lost: `lost.is_set()`, `await lost.wait()`."""
        if self._hold.was_lost:
            self._lost.set()  # in a fork nobody else would
        return self._lost

    @property
    def hold(self) -> Books:
        """Its books, for whoever watches over it."""
        return self._hold

    def on_lost(self, callback: Callable[["AsyncLease"], object]) -> None:
        """Call this, with the lease, when it is lost, once: in the loop of this call.

        It may be a coroutine function where the lease itself is async.

        Raises:
            BadInputError: nobody would await it.
        """
        check_listener(callback)
        self._callbacks.append(callback)
        if len(self._callbacks) == 1:
            self._hold.on_lost(at_home(self._tell))

    def _tell(self) -> None:
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            tell(partial(callback, self), self.name)

    def remaining(self) -> float:
        """For how many seconds it certainly stands; 0 when it does not."""
        return self._hold.remaining_s

    def check(self) -> None:
        """Go on only while it is held; asks nobody, so ask it often.

        Raises:
            LeaseLostError: it was lost, or released.
        """
        if not self._hold.look():
            raise LeaseLostError(self._hold.claim.kind, self.name, self._hold.why)

    async def extend(self, ttl: Duration) -> None:
        """Hold it for at least this long from now, but not for longer than `max_hold` in all.

        Raises:
            LeaseLostError: it was lost, or released.
            UnavailableError: the server could not be asked; it is held until its deadline.
        """
        ttl_ms = check_ttl(ttl)
        self.check()
        if not await self._extend(ttl_ms):
            self._hold.lose(NOT_THERE)
        self.check()

    async def release(self) -> bool:
        """Let it go; False when it was lost before, so that others may have had it already.

        Raises:
            UnavailableError: the server could not be told; it will be, in the background.
            OutcomeUnknownError: it may not have heard it; it will, in the background.
        """
        return self._hold.end() and await self._release()
