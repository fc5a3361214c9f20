"""Tells those who wait in this process when it is their turn, as soon as the server says so.

Whoever lets something go publishes, on the channel of the object, the member of the one waiter to
wake. This hears it in the background, on one connection for each server. A waiter is rung when it
is its turn, and when a message may have been missed: it looks for itself then.
"""

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final, Protocol

from toril.connection import Target
from toril.connection._async.locator import locator_of
from toril.connection.push_line import PushLine
from toril.connection.target import Address
from toril.core.errors import TorilError
from toril.core.operation import Argument, Reply
from toril.telemetry.emitter import Emitter
from toril.telemetry.logging import log_events
from toril.toolkit.background import Duty, begin
from toril.toolkit.leases.per_target import PerTarget

EVERYBODY: Final = ""
"""What is said when all who wait on a channel are meant."""

_LINGER_S: Final = 5.0
"""How long a channel is heard after its last waiter: the next one comes soon, or never."""

_CONFIRMED_WITHIN_S: Final = 1.0
_SHARDS_SINCE: Final = (7, 0)
_MESSAGES: Final = frozenset({b"message", b"smessage"})
_BEGINNINGS: Final = frozenset({b"subscribe", b"ssubscribe"})
_ENDS: Final = frozenset({b"unsubscribe", b"sunsubscribe"})


class Bell(Protocol):
    """How one waiter is woken, from any thread."""

    def set(self) -> None:
        """Wake it."""
        ...


class Wakeups:
    """Of one target and process; get it by `wakeups_of`."""

    def __init__(self, target: Target) -> None:
        self._target: Final = target
        self._guard: Final = threading.Lock()
        # These three belong to whoever has the guard, the rest to the background.
        self._bells: Final[dict[str, dict[str, Bell]]] = {}
        self._heard: Final[set[str]] = set()
        self._duty: Duty | None = None
        self._awake = asyncio.Event()
        self._lingers = True
        self._quiet: set[str] = set()
        self._ears: Final[dict[Address | None, _Ear]] = {}
        self._placing: Final[dict[str, asyncio.Task[None]]] = {}

    @contextmanager
    def listening(self, channel: str, member: str, bell: Bell) -> Iterator[None]:
        """Ring the bell from now on; it rings once more when nothing can be missed any more."""
        self._begin(channel, member, bell)
        try:
            yield
        finally:
            with self._guard:
                self._bells.get(channel, {}).pop(member, None)

    def end_if_idle(self) -> None:
        """Do not linger: whoever used it last has closed."""
        with self._guard:
            self._lingers = False
            if self._duty:
                self._duty.call(self._awake.set)

    def _begin(self, channel: str, member: str, bell: Bell) -> None:
        with self._guard:
            self._lingers = True
            self._bells.setdefault(channel, {})[member] = bell
            if self._duty is None:
                self._awake = asyncio.Event()
                self._duty = begin(self._serve(self._awake))
            is_heard = channel in self._heard
            if not is_heard:
                self._duty.call(self._place, channel)
        if is_heard:
            bell.set()

    async def _serve(self, awake: asyncio.Event) -> None:
        try:
            while self._sweep():
                try:
                    async with asyncio.timeout(_LINGER_S):
                        await awake.wait()
                except TimeoutError:
                    pass
                awake.clear()
        finally:
            with self._guard:
                self._heard.clear()
                if self._awake is awake:
                    self._duty = None
            tasks = [*self._placing.values(), *(ear.task for ear in self._ears.values())]
            # Before anybody else turns: a waiter that comes now begins anew.
            self._placing.clear()
            self._ears.clear()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _sweep(self) -> bool:
        """Leave the channels on which nobody waited for a while; False when none is left."""
        with self._guard:
            idle = {channel for channel, bells in self._bells.items() if not bells}
            leaving = idle if not self._lingers else idle & self._quiet
            self._quiet = idle
            for channel in leaving:
                del self._bells[channel]
                self._heard.discard(channel)
            if not self._bells:
                self._duty = None
        for channel in leaving:
            for ear in self._ears.values():
                ear.leave(channel)
        return bool(self._bells)

    def _place(self, channel: str) -> None:
        placing = self._placing.get(channel)
        if placing is None or placing.done():
            task = asyncio.create_task(self._listen_to(channel))
            self._placing[channel] = task
            task.add_done_callback(partial(self._placed, channel))

    def _placed(self, channel: str, task: asyncio.Task[None]) -> None:
        if self._placing.get(channel) is task:
            del self._placing[channel]

    async def _listen_to(self, channel: str) -> None:
        """Subscribe, again and again until the server has confirmed it."""
        locator = locator_of(self._target)
        while channel in self._bells and channel not in self._heard:
            try:
                address = await locator.address_of(channel)
            except TorilError:
                await asyncio.sleep(_CONFIRMED_WITHIN_S)
            else:
                ear = self._ear_at(address, channel)
                await ear.join(channel)
            locator.forget()

    def _ear_at(self, address: Address, channel: str) -> "_Ear":
        place = address if self._target.is_cluster else None
        if place not in self._ears:
            self._ears[place] = _Ear(self, self._target, channel)
        return self._ears[place]

    def ring(self, channel: str, member: str) -> None:
        """It is the turn of this waiter, who may be one of ours; or of everybody."""
        with self._guard:
            bells = self._bells.get(channel, {})
            rung = list(bells.values()) if member == EVERYBODY else [bells.get(member)]
        for bell in rung:
            if bell:
                bell.set()

    def begun(self, channel: str) -> bool:
        """From now on no message is missed; what came before is to be looked for.

        False when nobody listens there any more.
        """
        with self._guard:
            if channel not in self._bells:
                return False
            self._heard.add(channel)
            bells = list(self._bells[channel].values())
        for bell in bells:
            bell.set()
        return True

    def broken(self, ear: "_Ear", channels: Sequence[str]) -> None:
        """These are not heard any more; whoever waits on them looks now and then meanwhile."""
        with self._guard:
            self._heard.difference_update(channels)
            wanted = [channel for channel in channels if channel in self._bells]
        if self._target.is_cluster:
            # Its keys may be elsewhere by now, and not all in the same place.
            ear.task.cancel()
            for place in [place for place, one in self._ears.items() if one is ear]:
                del self._ears[place]
        for channel in wanted:
            self._place(channel)


class _Ear:
    """One connection to one server, and the channels that are to be heard on it."""

    def __init__(self, wakeups: Wakeups, target: Target, channel: str) -> None:
        self._wakeups: Final = wakeups
        self._is_cluster: Final = target.is_cluster
        self._joining: Final[dict[str, asyncio.Event]] = {}
        self._channels: Final[set[str]] = set()
        self._line: Final = PushLine(
            target,
            key=channel,
            purpose="wake-ups",
            listener=self,
            emitter=Emitter(log_events),
        )
        self.task: Final = asyncio.create_task(self._line.run())

    async def join(self, channel: str) -> None:
        """Subscribe; return when it is confirmed, or when it seems to have gone wrong."""
        confirmed = self._joining.setdefault(channel, asyncio.Event())
        self._line.tell(self._verb("SUBSCRIBE"), channel)
        try:
            async with asyncio.timeout(_CONFIRMED_WITHIN_S):
                await confirmed.wait()
        except TimeoutError:
            pass
        finally:
            self._joining.pop(channel, None)

    def leave(self, channel: str) -> None:
        """Nobody waits there any more."""
        if channel in self._channels:
            self._channels.discard(channel)
            self._line.tell(self._verb("UNSUBSCRIBE"), channel)

    def _verb(self, word: str) -> str:
        has_shards = self._is_cluster and self._line.version >= _SHARDS_SINCE
        return f"S{word}" if has_shards else word

    def opening(self) -> Sequence[Sequence[Argument]]:
        """Nothing: the answer to a subscription is news."""
        return ()

    def opened(self) -> None:
        """Now there is somebody to subscribe at."""
        for channel in self._joining:
            self._line.tell(self._verb("SUBSCRIBE"), channel)

    def heard(self, news: list[Reply]) -> None:
        """A message, or how a subscription began or ended."""
        match news:
            case [bytes(kind), bytes(raw), bytes(member)] if kind in _MESSAGES:
                self._wakeups.ring(raw.decode(), member.decode("utf-8", "replace"))
            case [bytes(kind), bytes(raw), _] if kind in _BEGINNINGS:
                self._begun(raw.decode())
            case [bytes(kind), bytes(raw), _] if kind in _ENDS and raw.decode() in self._channels:
                # The slot has moved away.
                self._channels.discard(raw.decode())
                self._wakeups.broken(self, [raw.decode()])
            case _:
                pass

    def _begun(self, channel: str) -> None:
        self._channels.add(channel)
        if channel in self._joining:
            self._joining[channel].set()
        if not self._wakeups.begun(channel):
            self.leave(channel)

    def lost(self) -> None:
        """All of them have to be subscribed to again."""
        channels = list(self._channels)
        self._channels.clear()
        self._wakeups.broken(self, channels)


wakeups_of: Final = PerTarget(Wakeups).of
