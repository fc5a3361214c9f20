"""Many readers or one writer."""

from typing import Final, Unpack

from toril.toolkit._async.client import AsyncClient
from toril.toolkit.keys import Keys, check_name, check_prefix
from toril.toolkit.leases._async.body import AsyncBody
from toril.toolkit.leases._async.desk import AsyncDesk
from toril.toolkit.leases._async.gate import AsyncGate
from toril.toolkit.leases._async.lease import AsyncLease
from toril.toolkit.leases.backstage import Backstage
from toril.toolkit.leases.terms import Patience, Wait
from toril.toolkit.permits.claim import PermitClaim
from toril.toolkit.permits.operations.look import Look, Occupancy
from toril.toolkit.permits.options import RWLockOptions, rwlock_settings
from toril.toolkit.permits.wire import READ_WRITE, UNLIMITED, Room, token_of


class AsyncRWLock:
    """Many hold it to read, or one holds it to write, of all processes that use this name.

    Whoever came first is let in first. With `prefer="writers"` no reader comes in while a writer
    waits, so that readers may wait for ever; with `prefer="readers"` readers always come in beside
    others, so that writers may. All users of a name should prefer the same.

    It is not re-entrant: whoever holds it and asks again waits for itself. Pass the lease on to
    what has to know that it is held. The fence of a writer is greater than all before. What is
    promised, and what not, is as for locks.

    >>> async with AsyncConnection("embedded://") as connection:
    ...     page = AsyncRWLock("page:1", connection)
    ...     async with page.read():
    ...         pass
    ...     async with page.write() as lease:
    ...         lease.check()
    """

    def __init__(self, name: str, target: object = None, **options: Unpack[RWLockOptions]) -> None:
        settings, order = rwlock_settings(options)
        self.name: Final = check_name(name)
        keys = Keys(check_prefix(options.get("prefix")), READ_WRITE)
        self._room: Final = Room(keys, name, UNLIMITED, order)
        self._client: Final = AsyncClient(
            target, timeout_ms=settings.timeout_ms, emitter=options.get("emitter")
        )
        self._desk: Final = AsyncDesk(self._client, settings, Backstage.of(self._client.target))
        self._readers: Final = AsyncGate(self._desk, self._new_reader)
        self._writers: Final = AsyncGate(self._desk, self._new_writer)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    def read(self, wait: Patience = Wait.AS_SET) -> AsyncBody:
        """Hold it beside other readers while an `async with` block runs, which gets the lease.

        When the lease is lost, the block is cancelled and left by `LeaseLostError`. With
        `on_lost="flag"` it goes on, and has to ask the lease. `wait` is how long to wait: 0 tries
        once, None waits as long as it takes.

        Raises:
            LockTimeoutError: it was not to be had in time.
            UnavailableError: the server could not be asked.
            OutcomeUnknownError: it did not answer in time; nothing is left behind there.
        """
        return self._readers.hold(wait)

    def write(self, wait: Patience = Wait.AS_SET) -> AsyncBody:
        """Hold it alone while an `async with` block runs, which gets the lease; else as `read`.

        Raises:
            LockTimeoutError: it was not to be had in time.
            UnavailableError: the server could not be asked.
            OutcomeUnknownError: it did not answer in time; nothing is left behind there.
        """
        return self._writers.hold(wait)

    async def acquire_read(self, wait: Patience = Wait.AS_SET) -> AsyncLease | None:
        """Hold it beside other readers until the lease is released or lost.

        None when it was not to be had in time.

        Raises:
            UnavailableError: the server could not be asked.
            OutcomeUnknownError: it did not answer in time; nothing is left behind there.
        """
        return await self._readers.acquire(wait)

    async def acquire_write(self, wait: Patience = Wait.AS_SET) -> AsyncLease | None:
        """Hold it alone until the lease is released or lost; None when not to be had in time.

        Raises:
            UnavailableError: the server could not be asked.
            OutcomeUnknownError: it did not answer in time; nothing is left behind there.
        """
        return await self._writers.acquire(wait)

    async def info(self) -> Occupancy:
        """How many hold it, whether one of them to write, and how many wait."""
        return await self._client.run(Look(self._room))

    async def close(self) -> None:
        """Renew no lease any more, and let go of the connection, where no others share it."""
        await self._desk.close()

    def _new_reader(self) -> PermitClaim:
        return self._new_claim("reader", is_alone=False)

    def _new_writer(self) -> PermitClaim:
        return self._new_claim("writer", is_alone=True)

    def _new_claim(self, kind: str, *, is_alone: bool) -> PermitClaim:
        token = token_of(is_alone=is_alone, is_sharded=self._client.target.is_cluster)
        return PermitClaim(self._room, kind, token)
