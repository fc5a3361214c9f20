"""A few holders at a time."""  # generated from _async/semaphore.py by tools/generate_sync.py: edit that file

from typing import Final, Unpack

from toril.core.checks import check_whole
from toril.toolkit._sync.client import Client
from toril.toolkit.keys import Keys, check_name, check_prefix
from toril.toolkit.leases._sync.body import Body
from toril.toolkit.leases._sync.desk import Desk
from toril.toolkit.leases._sync.gate import Gate
from toril.toolkit.leases._sync.lease import Lease
from toril.toolkit.leases.backstage import Backstage
from toril.toolkit.leases.terms import Patience, Wait
from toril.toolkit.permits.claim import PermitClaim
from toril.toolkit.permits.operations.look import Look, Occupancy
from toril.toolkit.permits.options import SemaphoreOptions, semaphore_settings
from toril.toolkit.permits.wire import MOST_PERMITS, SEMAPHORE, Room, token_of


class Semaphore:
    """At most `permits` holders at a time, of all processes that use this name on this server.

    Every permit is held under a lease: one whose holder dies is back when the lease ends, `ttl`
    later at most. Whoever came first is let in first, unless `fair=False`. Processes may say
    different numbers of permits; each keeps to its own.

    Every lease has a number of its own, greater than those before; it orders grants, but there are
    several holders, so it fences nothing off. What is promised, and what not, is as for locks.

    >>> with Connection("embedded://") as connection:
    ...     exports = Semaphore("exports", connection, permits=5)
    ...     with exports.hold(wait=5) as lease:
    ...         lease.check()
    """

    def __init__(
        self,
        name: str,
        target: object = None,
        *,
        permits: int,
        **options: Unpack[SemaphoreOptions],
    ) -> None:
        settings, order = semaphore_settings(options)
        self.name: Final = check_name(name)
        self.permits: Final = check_whole(permits, "permits", 1, MOST_PERMITS)
        keys = Keys(check_prefix(options.get("prefix")), SEMAPHORE)
        self._room: Final = Room(keys, name, permits, order)
        self._client: Final = Client(
            target, timeout_ms=settings.timeout_ms, emitter=options.get("emitter")
        )
        self._desk: Final = Desk(self._client, settings, Backstage.of(self._client.target))
        self._gate: Final = Gate(self._desk, self._new_claim)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} {self.permits}>"

    def acquire(self, wait: Patience = Wait.AS_SET) -> Lease | None:
        """Hold a permit until the lease is released or lost; None when there is none in time.

        `wait` is how long to wait: 0 tries once, None waits as long as it takes.

        Raises:
            UnavailableError: the server could not be asked.
            OutcomeUnknownError: it did not answer in time; nothing is left behind there.
        """
        return self._gate.acquire(wait)

    def hold(self, wait: Patience = Wait.AS_SET) -> Body:
        """Hold a permit while an `with` block runs, which gets the lease.

        When the lease is lost, the block is cancelled and left by `LeaseLostError`. With
        `on_lost="flag"` it goes on, and has to ask the lease.

        Raises:
            LockTimeoutError: there is none in time.
            UnavailableError: the server could not be asked.
            OutcomeUnknownError: it did not answer in time; nothing is left behind there.
        """
        return self._gate.hold(wait)

    def info(self) -> Occupancy:
        """How many permits are held, and how many callers wait for one."""
        return self._client.run(Look(self._room))

    def close(self) -> None:
        """Renew no lease any more, and let go of the connection, where no others share it."""
        self._desk.close()

    def _new_claim(self) -> PermitClaim:
        token = token_of(is_alone=False, is_sharded=self._client.target.is_cluster)
        return PermitClaim(self._room, "semaphore", token)
