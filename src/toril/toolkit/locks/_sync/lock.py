"""One holder at a time."""  # generated from _async/lock.py by tools/generate_sync.py: edit that file

from functools import wraps
from typing import Final, ParamSpec, TypeVar, Unpack

from toril.telemetry.toolkit_leases import LeaseBroken
from toril.toolkit._sync.client import Client
from toril.toolkit._sync.function import Function
from toril.toolkit.keys import Keys, check_name, check_prefix
from toril.toolkit.leases._sync.body import Body
from toril.toolkit.leases._sync.desk import Desk
from toril.toolkit.leases._sync.gate import Gate
from toril.toolkit.leases._sync.lease import Lease
from toril.toolkit.leases.backstage import Backstage
from toril.toolkit.leases.terms import Patience, Wait
from toril.toolkit.locks.claim import LockClaim, this_process
from toril.toolkit.locks.operations.break_lock import Break
from toril.toolkit.locks.operations.look import LockInfo, Look
from toril.toolkit.locks.options import LockOptions, Settings
from toril.toolkit.locks.wire import LOCK, LockKeys
from toril.toolkit.tokens import new_token

P = ParamSpec("P")
R = TypeVar("R")


class Lock:
    """A lock that all processes share which use this name on this server.

    At most one lease on it passes its `check()` at a time, on one primary whose clock does not
    jump. After a failover, or when a process is stopped between a check and what follows it, two
    holders may both act for a moment: then only the fence of the lease is safe, shown to whatever
    is written to. It is not re-entrant.

    It is not a context manager itself: `with lock.hold():` holds it. All that is known of an
    acquisition is in its lease, so one lock may be used by many tasks at a time. `close` lets go
    of the connection, unless it is shared; leases that are still held are renewed no more.

    >>> with Connection("embedded://") as connection:
    ...     lock = Lock("order:1", connection, ttl=30)
    ...     with lock.hold(wait=5) as lease:
    ...         lease.check()
    """

    def __init__(self, name: str, target: object = None, **options: Unpack[LockOptions]) -> None:
        settings = Settings.of(options)
        keys = Keys(check_prefix(options.get("prefix")), LOCK)
        self.name: Final = check_name(name)
        self._keys: Final = LockKeys(keys, name)
        self._settings: Final = settings
        self._client: Final = Client(
            target, timeout_ms=settings.leases.timeout_ms, emitter=options.get("emitter")
        )
        desk = Desk(self._client, settings.leases, Backstage.of(self._client.target))
        self._gate: Final = Gate(desk, self._new_claim)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    def acquire(self, wait: Patience = Wait.AS_SET) -> Lease | None:
        """Hold it until the lease is released or lost; None when others have it all the while.

        `wait` is how long to wait: 0 tries once, None waits as long as it takes.

        Raises:
            UnavailableError: the server could not be asked.
            OutcomeUnknownError: it did not answer in time; nothing is left behind there.
        """
        return self._gate.acquire(wait)

    def hold(self, wait: Patience = Wait.AS_SET) -> Body:
        """Hold it while an `with` block runs, which gets the lease.

        When the lease is lost, the block is cancelled and left by `LeaseLostError`. With
        `on_lost="flag"` it goes on, and has to ask the lease.

        Raises:
            LockTimeoutError: others have it all the while.
            UnavailableError: the server could not be asked.
            OutcomeUnknownError: it did not answer in time; nothing is left behind there.
        """
        return self._gate.hold(wait)

    def guarded(self, function: Function[P, R]) -> Function[P, R]:
        """Run the function only while it is held; a decorator.

        >>> @lock.guarded
        ... def rebuild() -> None: ...
        """

        @wraps(function)
        def run(*args: P.args, **kwargs: P.kwargs) -> R:
            with self.hold():
                return function(*args, **kwargs)

        return run

    def info(self) -> LockInfo | None:
        """Who holds it, and how many wait for it; None when nobody holds it."""
        return self._client.run(Look(keys=self._keys))

    def break_(self) -> bool:
        """Take it from whoever holds it, who hears of that at the next renewal; for operators.

        False when nobody held it.
        """
        was_held = self._client.run(Break(keys=self._keys))
        if was_held:
            self._client.emitter.emit(LeaseBroken(kind="lock", subject=self.name))
        return was_held

    def close(self) -> None:
        """Renew no lease any more, and let go of the connection, where no others share it."""
        self._gate.close()

    def _new_claim(self) -> LockClaim:
        return LockClaim(
            keys=self._keys,
            token=new_token(),
            holder=this_process(self._settings.label),
            is_fair=self._settings.is_fair,
            is_sharded=self._client.target.is_cluster,
        )
