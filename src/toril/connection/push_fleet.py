"""Lines to all nodes of a target at once, for what any of them may say."""

import asyncio
import math
from collections.abc import Collection, Sequence
from contextlib import suppress
from time import monotonic
from typing import Final

from toril.connection._async.locator import locator_of
from toril.connection.push_line import PushLine, PushListener
from toril.connection.target import Address, Target, Topology
from toril.core.errors import DeniedError, UnavailableError
from toril.core.operation import Argument, Reply
from toril.telemetry.emitter import Emitter

_LOOK_EVERY_S: Final = 2.0
"""How soon a node is found that has joined without a word."""


class PushFleet:
    """Listens to every node that has keys, and follows where the nodes are.

    Its listener hears `opened` when there is a line to each of them, and `lost` when one breaks
    or the nodes are others than before. Like that of a `PushLine` it lives in one loop.
    """

    def __init__(
        self,
        target: Target,
        *,
        purpose: str,
        listener: PushListener,
        emitter: Emitter | None = None,
    ) -> None:
        self.target: Final = target
        self.purpose: Final = purpose
        self.listener: Final = listener
        self.emitter: Final = emitter
        self._locator: Final = locator_of(target)
        self._is_fixed: Final = target.topology in (Topology.SINGLE, Topology.EMBEDDED)
        self._looked_at = -math.inf
        self._members: tuple[_Member, ...] = ()
        self._is_whole = False
        self._shaken: Final = asyncio.Event()

    @property
    def heard_until(self) -> float:
        """All that the nodes said before this moment of the monotonic clock has been heard.

        Minus infinity while a line is missing. Any thread may look.
        """
        until = self._looked_at
        for member in self._members:
            until = min(until, member.line.heard_until)
        return until

    async def run(self) -> None:
        """Listen until this is cancelled."""
        try:
            while True:
                with suppress(UnavailableError, DeniedError):
                    await self._look()
                self._shaken.clear()
                rest_s = None if self._is_fixed and self._is_whole else _LOOK_EVERY_S
                with suppress(TimeoutError):
                    async with asyncio.timeout(rest_s):
                        await self._shaken.wait()
        finally:
            await self._regroup(())

    def judge(self) -> None:
        """Look whether all lines are there; a member calls this when its own came or went."""
        is_whole = bool(self._members) and all(member.is_open for member in self._members)
        if is_whole and not self._is_whole:
            self._is_whole = True
            self.listener.opened()
        elif not is_whole:
            self._break()

    def _break(self) -> None:
        """Something may have been missed."""
        self._shaken.set()
        if self._is_whole:
            self._is_whole = False
            self.listener.lost()

    async def _look(self) -> None:
        asked_at = monotonic()
        self._locator.forget()
        addresses = await self._locator.addresses()
        if {member.address for member in self._members} != set(addresses):
            await self._regroup(addresses)
        self._looked_at = math.inf if self._is_fixed else asked_at

    async def _regroup(self, addresses: Collection[Address]) -> None:
        """Listen to these and no others from now on."""
        self._looked_at = -math.inf
        self._break()
        kept = [member for member in self._members if member.address in addresses]
        gone = [member for member in self._members if member.address not in addresses]
        known = {member.address for member in kept}
        new = [_Member(self, address) for address in addresses if address not in known]
        self._members = (*kept, *new)
        for member in gone:
            member.task.cancel()
        await asyncio.gather(*(member.task for member in gone), return_exceptions=True)
        self.judge()


class _Member:
    """The line to one node, and who hears it first."""

    def __init__(self, fleet: PushFleet, address: Address) -> None:
        self.address: Final = address
        self.is_open = False
        self.line: Final = PushLine(
            fleet.target,
            address=address,
            purpose=fleet.purpose,
            listener=self,
            emitter=fleet.emitter,
        )
        self.task: Final = asyncio.create_task(self.line.run())
        self._fleet: Final = fleet

    def opening(self) -> Sequence[Sequence[Argument]]:
        return self._fleet.listener.opening()

    def opened(self) -> None:
        self.is_open = True
        self._fleet.judge()

    def heard(self, news: list[Reply]) -> None:
        self._fleet.listener.heard(news)

    def lost(self) -> None:
        self.is_open = False
        self._fleet.judge()
