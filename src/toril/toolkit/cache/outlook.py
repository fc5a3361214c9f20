"""Whether a server is worth asking: one opinion for all caches of the process that use it."""

import asyncio
import threading
from collections.abc import Callable
from typing import Final
from weakref import WeakValueDictionary

from toril.connection import Target
from toril.core.errors import TorilError
from toril.core.operation import Operation
from toril.core.process import in_every_fork, process_id
from toril.telemetry.emitter import Emitter
from toril.toolkit._async.client import AsyncClient
from toril.toolkit.background import Duty, begin

_ENOUGH: Final = 5
"""Failures in a row."""

_PROBE_EVERY_S: Final = 1.0


class Outlook:
    """After five failures in a row nobody asks, until the background has had an answer.

    So callers do not wait for a server that is gone, one after the other; nor does the first one
    afterwards pay for finding out. `_failures`, `_listeners` and `_duty` are changed under the
    lock, by any thread.
    """

    def __init__(self, target: Target) -> None:
        self._target: Final = target
        self._listeners: Final[list[Listener]] = []
        self._pid = process_id()
        self._lock = threading.Lock()
        self._failures = 0
        self._duty: Duty | None = None

    @property
    def is_paused(self) -> bool:
        """Whether the server is not to be asked now."""
        if self._pid != process_id():
            # Nobody probes in a fork.
            self._begin_anew()
        return self._duty is not None

    def join(self, listener: "Listener") -> None:
        """One more cache uses the server."""
        with self._lock:
            self._listeners.append(listener)

    def leave(self, listener: "Listener") -> None:
        """A cache was closed; the last one takes the probing with it."""
        with self._lock:
            if listener in self._listeners:
                self._listeners.remove(listener)
            duty = None if self._listeners else self._duty
        if duty:
            duty.end()

    def worked(self) -> None:
        """The server has answered."""
        self._failures = 0

    def failed(self) -> None:
        """The server was asked in vain."""
        with self._lock:
            self._failures += 1
            if self._failures < _ENOUGH or self._duty or not self._listeners:
                return
            self._duty = begin(self._probe(self._listeners[0]))
        self._tell(is_paused=True)

    def _begin_anew(self) -> None:
        self._pid = process_id()
        self._lock = threading.Lock()
        self._failures = 0
        self._duty = None

    async def _probe(self, listener: "Listener") -> None:
        client = AsyncClient(self._target, timeout_ms=listener.timeout_ms, emitter=listener.emitter)
        try:
            while not await self._answers(client, listener.probe):
                pass
        finally:
            await client.close()
            self._failures = 0
            self._duty = None
        self._tell(is_paused=False)

    async def _answers(self, client: AsyncClient, probe: Operation[object]) -> bool:
        await asyncio.sleep(_PROBE_EVERY_S)
        try:
            await client.run(probe)
        except TorilError:
            return False
        return True

    def _tell(self, *, is_paused: bool) -> None:
        for listener in tuple(self._listeners):
            listener.tell(is_paused)


class Listener:
    """One cache that uses a server."""

    def __init__(
        self,
        probe: Operation[object],
        timeout_ms: int,
        emitter: Emitter,
        tell: Callable[[bool], None],
    ) -> None:
        self.probe: Final = probe
        """A question that changes nothing."""
        self.timeout_ms: Final = timeout_ms
        self.emitter: Final = emitter
        self.tell: Final = tell


class _Known:
    """The outlooks of this process, for as long as somebody uses them."""

    lock = threading.Lock()
    by_target: Final[WeakValueDictionary[Target, Outlook]] = WeakValueDictionary()

    @classmethod
    def renew(cls) -> None:
        """In a fork whoever held the lock is not there."""
        cls.lock = threading.Lock()


in_every_fork(_Known.renew)


def outlook_of(target: Target) -> Outlook:
    """The outlook on this server."""
    with _Known.lock:
        outlook = _Known.by_target.get(target)
        if outlook is None:
            outlook = _Known.by_target[target] = Outlook(target)
        return outlook
