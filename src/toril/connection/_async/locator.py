"""Find the server of a key, and open connections to it; one way for each topology.

What a locator has learned it uses until it is told to `forget`, which costs nothing: the next
question asks again.
"""

import math
from collections.abc import Sequence
from functools import partial
from typing import Final, Protocol

from toril.connection._async.channel import AsyncChannel
from toril.connection._async.pause import in_thread
from toril.connection.embedded import embedded_address
from toril.connection.refusal import LostError, Refusal
from toril.connection.request import pack
from toril.connection.slots import SlotMap
from toril.connection.target import Address, Session, Target, Tcp, Topology
from toril.core.errors import UnavailableError
from toril.core.operation import Reply
from toril.core.process import process_id


class AsyncLocator(Protocol):
    """Knows where a key lives."""

    async def address_of(self, key: str) -> Address:
        """The server that has the key; raises `UnavailableError` when nobody can tell."""
        ...

    async def addresses(self) -> Sequence[Address]:
        """Every server that has keys; raises `UnavailableError` when nobody can tell."""
        ...

    async def open(self, address: Address, within_s: float = math.inf) -> AsyncChannel:
        """A new connection to it, checked as far as this topology needs."""
        ...

    def forget(self) -> None:
        """What was found before may be wrong now."""
        ...


def locator_of(target: Target) -> AsyncLocator:
    """The way that fits the target."""
    match target.topology:
        case Topology.SINGLE:
            return _AsyncSingle(target)
        case Topology.SENTINEL:
            return _AsyncSentinel(target)
        case Topology.CLUSTER:
            return _AsyncCluster(target)
        case Topology.EMBEDDED:
            return _AsyncEmbedded(target)


class _AsyncSingle:
    """One server, always the same."""

    def __init__(self, target: Target) -> None:
        self._target: Final = target

    async def address_of(self, key: str) -> Address:
        del key
        return self._target.addresses[0]

    async def addresses(self) -> Sequence[Address]:
        return (await self.address_of(""),)

    async def open(self, address: Address, within_s: float = math.inf) -> AsyncChannel:
        return await AsyncChannel.open(address, self._target.session, within_s)

    def forget(self) -> None:
        pass


class _AsyncEmbedded(_AsyncSingle):
    """The server of our own, started when it is first wanted and again when it has ended."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._address: Address | None = None
        self._pid = process_id()

    async def address_of(self, key: str) -> Address:
        del key
        if self._address is None or self._pid != process_id():
            # A fork has a server of its own.
            self._pid = process_id()
            self._address = await in_thread(partial(embedded_address, self._target.folder))
        return self._address

    def forget(self) -> None:
        self._address = None


class _AsyncSentinel(_AsyncSingle):
    """The master, as the sentinels know it, when it agrees that it is one."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._master: Tcp | None = None

    async def address_of(self, key: str) -> Address:
        del key
        if self._master is None:
            self._master = await self._discover()
        return self._master

    async def open(self, address: Address, within_s: float = math.inf) -> AsyncChannel:
        channel = await AsyncChannel.open(address, self._target.session, within_s)
        [role] = await _command(channel, self._target.session, "ROLE")
        # A master that was demoted while it was away is reported until the sentinels notice.
        if not (isinstance(role, list) and role[0] == b"master"):
            channel.abort()
            self.forget()
            raise UnavailableError(str(address), "it is not the master")
        return channel

    def forget(self) -> None:
        self._master = None

    async def _discover(self) -> Tcp:
        problems = []
        for sentinel in self._target.addresses:
            try:
                return await self._consult(sentinel)
            except UnavailableError as error:
                problems.append(str(error))
        raise UnavailableError(self._target.label, "; ".join(problems))

    async def _consult(self, sentinel: Address) -> Tcp:
        session, service = self._target.sentinel_session, self._target.service
        channel = await AsyncChannel.open(sentinel, session)
        try:
            [reply] = await _command(
                channel, session, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", service
            )
        finally:
            channel.abort()
        if not isinstance(reply, list):
            raise UnavailableError(str(sentinel), f"it does not watch {service!r}")
        host, port = reply
        return Tcp(host.decode(), int(port))


class _AsyncCluster(_AsyncSingle):
    """Many masters, each with some of the slots; any of them describes all."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._map: SlotMap | None = None
        # The seeds are never given up: after an outage they may be all that still answers.
        self._known: tuple[Address, ...] = target.addresses

    async def address_of(self, key: str) -> Address:
        return (await self._known_map()).node_of(key)

    async def addresses(self) -> Sequence[Address]:
        return (await self._known_map()).nodes

    def forget(self) -> None:
        self._map = None

    async def _known_map(self) -> SlotMap:
        if self._map is None:
            self._map = await self._discover()
        return self._map

    async def _discover(self) -> SlotMap:
        problems = []
        for node in self._known:
            try:
                found = await self._consult(node)
            except UnavailableError as error:
                problems.append(str(error))
            else:
                # Next time another one: a node that is cut off from the rest tells of the past.
                known = dict.fromkeys((*found.nodes, *self._target.addresses))
                self._known = (*(each for each in known if each != node), node)
                return found
        raise UnavailableError(self._target.label, "; ".join(problems))

    async def _consult(self, node: Address) -> SlotMap:
        assert isinstance(node, Tcp)  # noqa: S101 - no other address can be written for a cluster
        channel = await self.open(node)
        try:
            [reply] = await _command(channel, self._target.session, "CLUSTER", "SLOTS")
        finally:
            channel.abort()
        return SlotMap(reply, node)


async def _command(channel: AsyncChannel, session: Session, *words: str) -> list[Reply]:
    server = channel.server
    try:
        replies = await channel.exchange(pack(*words), 1, session.connect_timeout_ms / 1000)
    except LostError as lost:
        raise UnavailableError(server, lost.problem) from lost
    if isinstance(replies[0], Refusal):
        channel.abort()
        raise replies[0].as_error(server, " ".join(words[:2]))
    return replies
