"""Several locks, held all at once."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from time import monotonic
from typing import Final, Unpack

from toril.connection.errand import Delivery
from toril.core.errors import (
    BadInputError,
    OutcomeUnknownError,
    TorilError,
    UnavailableError,
)
from toril.core.ids import slot_of
from toril.toolkit._async.client import AsyncClient
from toril.toolkit.errors import LockTimeoutError
from toril.toolkit.keys import Keys, check_name, check_prefix
from toril.toolkit.leases._async.body import AsyncBody
from toril.toolkit.leases._async.desk import AsyncDesk
from toril.toolkit.leases._async.lease import AsyncLease
from toril.toolkit.leases._async.listener import check_listener
from toril.toolkit.leases.backstage import Backstage
from toril.toolkit.leases.claim import Busy, Granted
from toril.toolkit.leases.hold import NOT_THERE
from toril.toolkit.leases.joint import JointHold, Label
from toril.toolkit.leases.terms import Patience, Wait, wait_ms
from toril.toolkit.locks.claim import LockClaim, this_process
from toril.toolkit.locks.operations.acquire_all import AcquireAll
from toril.toolkit.locks.options import LockOptions, Settings
from toril.toolkit.locks.wire import LOCK, LockKeys
from toril.toolkit.tokens import new_token

_MOST_NAMES: Final = 100


class AsyncMultiLock:
    """All locks of these names, or none of them; each is the lock that `AsyncLock` knows.

    The locks are taken in the order of their names, so that no two callers wait for each other.
    While it waits for one it may have those before it. The lease stands while all of them do, and
    its fence is above every one that any of them had before.

    >>> async with AsyncMultiLock(["account:7", "account:9"]).hold() as lease:
    ...     lease.check()
    """

    def __init__(
        self, names: Iterable[str], target: object = None, **options: Unpack[LockOptions]
    ) -> None:
        settings = Settings.of(options)
        self._settings: Final = settings.leases
        self._is_fair: Final = settings.is_fair
        self._label: Final = settings.label
        keys = Keys(check_prefix(options.get("prefix")), LOCK)
        self.names: Final = _check_names(names)
        self._locks: Final = [LockKeys(keys, name) for name in self.names]
        self._client: Final = AsyncClient(
            target, timeout_ms=self._settings.timeout_ms, emitter=options.get("emitter")
        )
        check_listener(settings.leases.on_lost)
        each = replace(settings.leases, on_lost=None)
        self._desk: Final = AsyncDesk(self._client, each, Backstage.of(self._client.target))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {', '.join(self.names)}>"

    async def acquire(self, wait: Patience = Wait.AS_SET) -> AsyncLease | None:
        """Hold them all; None when one of them was another's all the while.

        Raises:
            UnavailableError: a server could not be asked.
            OutcomeUnknownError: it did not answer in time; nothing is left behind there.
        """
        return await self._acquire(wait_ms(wait, self._settings.wait_ms))

    def hold(self, wait: Patience = Wait.AS_SET) -> AsyncBody:
        """Hold them all while an `async with` block runs, as `AsyncLock.hold` does.

        Raises:
            LockTimeoutError: one of them was another's all the while.
        """
        patience_ms = wait_ms(wait, self._settings.wait_ms)

        async def acquire() -> AsyncLease:
            lease = await self._acquire(patience_ms)
            if lease is None:
                raise LockTimeoutError("locks", ", ".join(self.names), patience_ms or 0)
            return lease

        return AsyncBody(acquire, cancels=self._settings.cancels)

    async def close(self) -> None:
        """Renew no lease any more, and let go of the connection, where no others share it."""
        await self._desk.close()

    async def _acquire(self, patience_ms: int | None) -> AsyncLease | None:
        began = monotonic()
        self._desk.check_open("locks", ", ".join(self.names))
        if self._can_be_taken_at_once():
            lease = await self._at_once()
            if lease or patience_ms == 0:
                return lease
        ends_at = None if patience_ms is None else began + patience_ms / 1000
        return await self._one_by_one(ends_at)

    def _can_be_taken_at_once(self) -> bool:
        if self._settings.terms.replicas:
            return False
        slots = {slot_of(lock.lock) for lock in self._locks}
        return len(slots) == 1 or not self._client.target.is_cluster

    async def _at_once(self) -> AsyncLease | None:
        claims, terms, sent_at = self._claims(), self._settings.terms, monotonic()
        delivery = Delivery()
        operation = AcquireAll(
            locks=self._locks,
            token=claims[0].token,
            ttl_ms=terms.first_ttl_ms,
            holder=claims[0].holder,
            is_fair=self._is_fair,
        )
        try:
            with self._desk.doubts.noted(claims[0], delivery):
                granted = await self._client.deliver(operation, delivery)
        except BaseException:
            for claim in claims:
                self._desk.give_up(claim, in_doubt=True)
            raise
        if isinstance(granted, Busy):
            for claim in claims:
                self._desk.settle(claim)
            return None
        leases = [self._desk.begin(claim, fence=granted.fence, sent_at=sent_at) for claim in claims]
        return self._joined(claims, leases)

    async def _one_by_one(self, ends_at: float | None) -> AsyncLease | None:
        leases: list[AsyncLease] = []
        claims = self._claims()
        try:
            for claim in claims:
                left_ms = None
                if ends_at is not None:
                    left_ms = max(0, int((ends_at - monotonic()) * 1000))
                lease = await self._desk.acquire(claim, left_ms)
                if lease is None:
                    break
                leases.append(lease)
            else:
                await self._level(claims, leases)
                return self._joined(claims, leases)
        except BaseException:
            # What was to level their fences may be on its way, and would take them again.
            self._give_up(claims, leases, in_doubt=True)
            raise
        self._give_up(claims, leases)
        return None

    async def _level(self, claims: Sequence[LockClaim], leases: Sequence[AsyncLease]) -> None:
        """Raise the fence of each to the greatest, which is that of the lease."""
        greatest = max(lease.fence for lease in leases)
        lower = [
            (lease, replace(claim, least_fence=greatest))
            for claim, lease in zip(claims, leases, strict=True)
            if lease.fence < greatest
        ]
        ttl_ms = self._settings.terms.first_ttl_ms
        delivery = Delivery()
        with self._desk.doubts.noted(claims[0], delivery):
            answers = await self._client.run_all(
                [claim.acquisition(ttl_ms, waits=False) for _, claim in lower], delivery=delivery
            )
        for (lease, _), answer in zip(lower, answers, strict=True):
            if isinstance(answer, TorilError):
                raise answer
            if answer != Granted(greatest):
                lease.hold.lose(NOT_THERE)

    def _give_up(
        self, claims: Sequence[LockClaim], leases: Sequence[AsyncLease], *, in_doubt: bool = False
    ) -> None:
        for claim, lease in zip(claims, leases, strict=False):
            if lease.hold.end() or in_doubt:
                self._desk.give_up(claim, in_doubt=in_doubt)

    def _joined(self, claims: Sequence[LockClaim], leases: Sequence[AsyncLease]) -> AsyncLease:
        label = Label("locks", ", ".join(self.names), claims[0].token)
        hold = JointHold(label, [lease.hold for lease in leases], claims, self._desk.give_up)
        lease = AsyncLease(hold, _AsyncTogether(self._desk, leases))
        if on_lost := self._settings.on_lost:
            lease.on_lost(on_lost)
        return lease

    def _claims(self) -> Sequence[LockClaim]:
        token, holder = new_token(), this_process(self._label)
        return [
            LockClaim(
                keys=lock,
                token=token,
                holder=holder,
                is_fair=self._is_fair,
                is_sharded=self._client.target.is_cluster,
            )
            for lock in self._locks
        ]


class _AsyncTogether:
    """Prolongs and ends every part."""

    def __init__(self, desk: AsyncDesk, leases: Sequence[AsyncLease]) -> None:
        self._desk: Final = desk
        self._leases: Final = leases

    async def extend(self, hold: JointHold, ttl_ms: int) -> bool:
        del hold
        for lease in self._leases:
            await lease.extend(ttl_ms / 1000)
        return True

    async def release(self, hold: JointHold) -> bool:
        were_held = True
        problem: TorilError | None = None
        left = list(hold.claims)
        try:
            while left:
                try:
                    were_held &= await self._desk.let_go(left.pop())
                except (UnavailableError, OutcomeUnknownError) as error:
                    problem = error
        finally:
            for claim in left:
                self._desk.give_up(claim)
        if problem:
            raise problem
        return were_held


def _check_names(names: Iterable[str]) -> tuple[str, ...]:
    if isinstance(names, str):
        raise BadInputError("names", "is a string: pass a list of names")
    checked = tuple(sorted({check_name(name, "names") for name in names}))
    if not 1 <= len(checked) <= _MOST_NAMES:
        raise BadInputError("names", f"are {len(checked)}, and need to be 1 to {_MOST_NAMES}")
    return checked
