"""One holder at a time, by the word of a majority of servers."""  # generated from _async/redlock.py by tools/generate_sync.py: edit that file

from collections.abc import Sequence
from typing import Final, Unpack

from toril.core.errors import BadInputError
from toril.telemetry.emitter import Emitter
from toril.telemetry.logging import log_events
from toril.toolkit._sync.client import Client
from toril.toolkit.keys import Keys, check_name, check_prefix
from toril.toolkit.leases._sync.body import Body
from toril.toolkit.leases._sync.desk import Desk
from toril.toolkit.leases._sync.gate import Gate
from toril.toolkit.leases._sync.lease import Lease
from toril.toolkit.leases.terms import Patience, Wait
from toril.toolkit.locks.claim import LockClaim, this_process
from toril.toolkit.locks.wire import LOCK, LockKeys
from toril.toolkit.redlock._sync.quorum import Quorum
from toril.toolkit.redlock.backstage import backstage_of
from toril.toolkit.redlock.claim import RedlockClaim
from toril.toolkit.redlock.options import RedlockOptions, RedlockSettings, check_targets
from toril.toolkit.tokens import new_token


class Redlock:
    """A lock that a majority of 3, 5 or 7 servers grants, none of which knows of the others.

    It is held on while a minority of them is down or silent. At most one lease on it passes its
    `check()` at a time, as long as no clock of a server jumps. A server that was restarted may
    have forgotten leases, so it has no vote until `max_ttl` has passed: servers that were all
    started together grant nothing before that. When a process is stopped between a check and what
    follows it, two holders may both act for a moment: then only the fence of the lease is safe.

    The servers must be primaries, not nodes of a cluster, and each a server of its own. Each is
    waited for 50 ms or a twentieth of the lease, whatever is less; `timeout` says otherwise. Who
    waits asks again and again, at random moments. It is not re-entrant.

    >>> lock = Redlock("order:1", ["redis://a", "redis://b", "redis://c"], ttl=10)
    >>> with lock.hold(wait=5) as lease:
    ...     lease.check()
    """

    def __init__(
        self, name: str, targets: Sequence[object], **options: Unpack[RedlockOptions]
    ) -> None:
        settings = RedlockSettings.of(options)
        keys = Keys(check_prefix(options.get("prefix")), LOCK)
        emitter = options.get("emitter") or Emitter(log_events)
        self.name: Final = check_name(name)
        self._keys: Final = LockKeys(keys, name)
        self._label: Final = settings.label
        clients = [
            Client(target, timeout_ms=settings.leases.timeout_ms, emitter=emitter)
            for target in check_targets(targets)
        ]
        if len({client.target.label for client in clients}) < len(clients):
            raise BadInputError("targets", "a server is named twice")
        quorum = Quorum(name, clients, longest_ms=settings.longest_ms, emitter=emitter)
        self._quorum: Final = quorum
        backstage = backstage_of([client.target for client in clients], settings.leases.timeout_ms)
        self._gate: Final = Gate(
            Desk(quorum, settings.leases, backstage), self._new_claim
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    def acquire(self, wait: Patience = Wait.AS_SET) -> Lease | None:
        """Hold it until the lease is released or lost; None when no majority grants it in time.

        `wait` is how long to wait: 0 tries once, None waits as long as it takes.

        Raises:
            QuorumImpossibleError: too many servers are not what they must be.
        """
        return self._gate.acquire(wait)

    def hold(self, wait: Patience = Wait.AS_SET) -> Body:
        """Hold it while an `with` block runs, which gets the lease.

        When the lease is lost, the block is cancelled and left by `LeaseLostError`. With
        `on_lost="flag"` it goes on, and has to ask the lease.

        Raises:
            LockTimeoutError: no majority grants it in time.
            QuorumImpossibleError: too many servers are not what they must be.
        """
        return self._gate.hold(wait)

    def close(self) -> None:
        """Renew no lease any more, and let go of the connections that no others share."""
        self._gate.close()

    def _new_claim(self) -> RedlockClaim:
        return RedlockClaim(self._new_attempt)

    def _new_attempt(self) -> LockClaim:
        return LockClaim(
            keys=self._keys,
            token=new_token(),
            holder=this_process(self._label),
            is_fair=False,
            is_sharded=False,
        )
