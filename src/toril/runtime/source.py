"""Where the engine's jobs come from: the one seam between a product and the runtime.

`tests/contracts/source.py` is the executable definition of this protocol; every source runs it.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Generic, Protocol, TypeAlias, TypeVar

import msgspec

from toril.core.outcome import Say

J = TypeVar("J")
J_co = TypeVar("J_co", covariant=True)


class Lease(msgspec.Struct, frozen=True, gc=False):
    """The right to run a job until the lease ends, and the token that proves it."""

    job_id: str
    token: str


class Claimed(msgspec.Struct, Generic[J_co], frozen=True):
    """A job that is this worker's now.

    `defect` says why it must not be run (it cannot be read, or it was lost too often): the
    engine hands the lease straight back as failed with that error. `timeout_ms` is how long its
    handler may run.
    """

    lease: Lease
    job: J_co
    defect: Exception | None = None
    timeout_ms: int | None = None


class Returned(msgspec.Struct, frozen=True):
    """The handler returned a result."""

    value: object


class Raised(msgspec.Struct, frozen=True):
    """The handler raised, or the job could not be run at all.

    `final` says that no retry may help: the error is a `PermanentError`, or the job has a defect.
    """

    error: BaseException
    final: bool = False


class Said(msgspec.Struct, frozen=True):
    """The handler asked for something else than an end: a retry, a delay, to give it back."""

    what: Say


Ending: TypeAlias = Returned | Raised | Said


class Outcome(msgspec.Struct, Generic[J_co], frozen=True):
    """How a run ended, with the claim it belongs to."""

    claimed: Claimed[J_co]
    ending: Ending


class Effect(Enum):
    """What the store did with an outcome."""

    COMPLETED = "completed"
    FAILED = "failed"
    RETRIED = "retried"
    DELAYED = "delayed"
    GIVEN_BACK = "given back"
    LIMITED = "rate limited"
    """It went back, and no job starts for a while."""

    WAITS = "waits for its children"
    SUPERSEDED = "superseded"
    """The lease was no longer ours: nothing was changed."""


class Settled(msgspec.Struct, frozen=True, gc=False):
    """The effect of one outcome, with what there is to say about it."""

    job_id: str
    effect: Effect
    reason: str = ""
    delay_ms: int = 0


class Exchange(msgspec.Struct, Generic[J_co], frozen=True):
    """What one round trip brought: one effect for each outcome, in their order, and new claims.

    `next_in_ms` is the time until the store will have work it knows of (a delayed job comes
    due, a rate limit ends); None when it knows of nothing. `since` is a moment of the monotonic
    clock from which on the new leases certainly run; None is now.
    """

    settled: Sequence[Settled]
    claimed: Sequence[Claimed[J_co]]
    next_in_ms: int | None = None
    since: float | None = None


class Reaped(msgspec.Struct, frozen=True):
    """Jobs of lost workers, and when to look again.

    `recovered` run again; `exhausted` were lost too often and fail. None is in both.
    """

    recovered: Sequence[str]
    exhausted: Sequence[str]
    again_in_ms: int


class Source(Protocol[J]):
    """A store of jobs as the engine sees it.

    Every method but `renew` runs on the engine's loop, and every call ends by itself, however dead
    its connection is. A source deals with lost connections and lost replies by itself: a method
    returns only what is certain, raises `UnavailableError` when nothing was done, and never lets a
    job be claimed that it does not report. When a call is cancelled, the claims it may have made
    are found again by the next `exchange`, whatever that one wants, or by `give_back`.
    """

    async def open(self) -> None:
        """Get ready; raise at once when it can never work (bad credentials, wrong name)."""
        ...

    async def exchange(self, outcomes: Sequence[Outcome[J]], want: int) -> Exchange[J]:
        """Settle these outcomes and claim up to `want` jobs, in one round trip.

        Fewer than `want` means that there are no more, or that the next wait for work ends at once.
        With `want` 0 nothing is claimed, but due delayed jobs are made ready all the same. Two
        exchanges may be in flight at once. An outcome that cannot be stored (a result that is no
        JSON) fails its own job and nothing else.
        """
        ...

    async def wait_for_work(self, want: int, timeout_ms: int) -> Exchange[J]:
        """Sleep until there may be work or `timeout_ms` is over, and claim up to `want` jobs.

        Uses a connection of its own, so that exchanges go on beside it.
        """
        ...

    def renew(self, leases: Sequence[Lease]) -> Sequence[Lease]:
        """Prolong these leases and return the ones that are lost.

        Blocks; called from the lease keeper's thread, on a connection of its own.
        """
        ...

    def renew_unread(self) -> None:
        """Prolong what calls have claimed that were sent long ago, and whose replies nobody read.

        A blocked loop does not read them. Blocks; called like `renew`, and costs nothing as a rule.
        """
        ...

    async def reap(self) -> Reaped:
        """Put the jobs of lost workers back."""
        ...

    async def cancelled(self) -> Sequence[Lease]:
        """Which jobs of this source's were cancelled while they run.

        The same ones are named again until they are settled, so that no lost reply loses one.
        """
        ...

    async def give_back(self, leases: Sequence[Lease]) -> int:
        """Return these unfinished jobs, and whatever a broken call may have claimed; count them."""
        ...

    async def close(self) -> None:
        """Let go of every connection, without needing the network."""
        ...
