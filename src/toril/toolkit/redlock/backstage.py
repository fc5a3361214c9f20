"""Who works for locks on several servers in the background: renewals at all of them, no bells."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final

from toril.connection import Target
from toril.telemetry.emitter import Emitter
from toril.telemetry.logging import log_events
from toril.toolkit._async.client import AsyncClient
from toril.toolkit.leases.backstage import Backstage
from toril.toolkit.leases.keeper import Keeper
from toril.toolkit.leases.per_target import PerTarget
from toril.toolkit.leases.wakeups import Bell
from toril.toolkit.redlock._async.quorum import AsyncQuorum

_Servers = tuple[tuple[Target, ...], int]


class _NoBells:
    """No single server knows whose turn it is."""

    @contextmanager
    def listening(self, channel: str, member: str, bell: Bell) -> Iterator[None]:
        """Whoever waits asks again now and then."""
        del channel, member, bell
        yield

    def end_if_idle(self) -> None:
        """There is nothing to end."""


def _connect(servers: _Servers) -> AsyncQuorum:
    targets, timeout_ms = servers
    emitter = Emitter(log_events)
    clients = [AsyncClient(target, timeout_ms=timeout_ms, emitter=emitter) for target in targets]
    return AsyncQuorum("in the background", clients, longest_ms=0, emitter=emitter)


def _keeper(servers: _Servers) -> Keeper:
    return Keeper(partial(_connect, servers))


_keeper_of: Final = PerTarget(_keeper).of


def backstage_of(targets: Sequence[Target], timeout_ms: int) -> Backstage:
    """That of these servers, each of which is waited for so long."""
    return Backstage(partial(_keeper_of, (tuple(targets), timeout_ms)), _NoBells)
