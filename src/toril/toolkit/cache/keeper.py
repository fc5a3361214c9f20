"""Renews leases while loaders and writers run, in the background of the process."""

import asyncio
import threading
from collections.abc import Iterable
from typing import Final

from toril.connection import Target
from toril.core.operation import Operation
from toril.core.process import process_id
from toril.telemetry.emitter import Emitter
from toril.toolkit._async.client import AsyncClient
from toril.toolkit.background import Duty, begin

_IDLE_ROUNDS: Final = 10


class Keeper:
    """Renews what is held three times within its length, wherever whoever holds it is stuck.

    There is a duty in the background while something is held, and a few rounds longer. `_held`
    and `_duty` are changed under the lock, by any thread.
    """

    def __init__(
        self, target: Target, *, length_ms: int, timeout_ms: int, emitter: Emitter
    ) -> None:
        self._target: Final = target
        self._every_s: Final = length_ms / 3_000
        self._timeout_ms: Final = timeout_ms
        self._emitter: Final = emitter
        self._pid = process_id()
        self._lock = threading.Lock()
        self._held: dict[str, Operation[bool]] = {}
        self._duty: Duty | None = None

    def hold(self, token: str, renewal: Operation[bool]) -> None:
        """Run this operation now and then, from now on."""
        if self._pid != process_id():
            self._begin_anew()
        with self._lock:
            self._held[token] = renewal
            if self._duty is None:
                self._duty = begin(self._renew())

    def drop(self, *tokens: str) -> None:
        """Renew these no more."""
        with self._lock:
            for token in tokens:
                self._held.pop(token, None)

    def close(self) -> None:
        """Renew nothing any more."""
        with self._lock:
            duty, self._duty = self._duty, None
            self._held.clear()
        if duty:
            duty.end()

    def _begin_anew(self) -> None:
        """In a fork: what is held belongs to the parent, and the lock may be held by nobody."""
        self._pid = process_id()
        self._lock = threading.Lock()
        self._held = {}
        self._duty = None

    async def _renew(self) -> None:
        client = AsyncClient(self._target, timeout_ms=self._timeout_ms, emitter=self._emitter)
        # What is held since the last round was taken out or renewed less than a third ago.
        before: frozenset[str] = frozenset()
        idle = 0
        try:
            while idle < _IDLE_ROUNDS:
                await asyncio.sleep(self._every_s)
                idle = 0 if self._held else idle + 1
                before = await self._round(client, before)
        finally:
            await client.close()
            self._ended()

    async def _round(self, client: AsyncClient, before: Iterable[str]) -> frozenset[str]:
        held = dict(self._held)
        due = [held[token] for token in before if token in held]
        if due:
            # Whether it fails or is lost: the fill or the end of the write will find out.
            await client.run_all(due)
        return frozenset(held)

    def _ended(self) -> None:
        with self._lock:
            self._duty = None
            if self._held:
                self._duty = begin(self._renew())
