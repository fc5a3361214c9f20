"""All who are in a soak, from beginning to end."""

import asyncio
import random
import threading
import time
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack
from typing import Any, Final, Self

from tests.support.servers import wait_until
from tests.support.soak.actors import BlockingRound, Round
from tests.support.soak.cast import Cast, blocking_rounds, new_laws

from toril.connection import AsyncConnection, Connection
from toril.core.errors import TorilError
from toril.telemetry.emitter import Emitter

_CONNECTIONS: Final = 2
_BREATH_S: Final = 0.02
_CANCELLED_AFTER_S: Final = (*[None] * 30, 0.0, 0.001, 0.01)
"""Most rounds are not."""


class Soak:
    """Everybody plays round after round while the block lasts, on one loop and in threads.

    Rounds may end by an error of ours, and some are cancelled; whatever else is raised is raised
    at the end.
    """

    def __init__(self, url: str, seed: int) -> None:
        self.done: Final[Counter[str]] = Counter()
        self.errors: Final[Counter[str]] = Counter()
        self.laws: Final = new_laws()
        self.tasks_left: set[asyncio.Task[Any]] = set()
        self._url: Final = url
        self._seed: Final = seed
        self._over: Final = threading.Event()
        self._thread: Final = ThreadPoolExecutor(1, "soak")
        self._played: Future[None] = Future()

    def __enter__(self) -> Self:
        self._played = self._thread.submit(asyncio.run, self._play())
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.shutdown()
        self._played.result()

    def until_all_have_done_more(self) -> None:
        """Wait until everybody has played another round."""
        before = self.done.copy()
        wait_until(
            lambda: all(self.done[name] > before[name] for name in before), "another round of each"
        )

    async def _play(self) -> None:
        async with AsyncExitStack() as stack, asyncio.TaskGroup() as tasks:
            for number in range(_CONNECTIONS):
                connection = await stack.enter_async_context(
                    AsyncConnection(self._url, emitter=Emitter())
                )
                dice = random.Random(f"{self._seed} {number}")
                cast = Cast(stack, connection, self.laws, dice)
                for name, play in cast.rounds(changes=number == 0):
                    tasks.create_task(self._repeat(name, play, dice))
            blocking = stack.enter_context(Connection(self._url, emitter=Emitter()))
            own = stack.enter_context(ExitStack())
            for name, act in blocking_rounds(own, blocking, self.laws, random.Random(self._seed)):
                tasks.create_task(asyncio.to_thread(self._repeat_here, name, act))
        self.tasks_left = asyncio.all_tasks() - {asyncio.current_task()}

    async def _repeat(self, name: str, play: Round, dice: random.Random) -> None:
        self.done[name] = 0
        while not self._over.is_set():
            try:
                async with asyncio.timeout(dice.choice(_CANCELLED_AFTER_S)):
                    await play()
            except (TorilError, TimeoutError) as error:
                self.errors[f"{name}: {type(error).__name__}"] += 1
            else:
                self.done[name] += 1
            await asyncio.sleep(dice.uniform(0, _BREATH_S))

    def _repeat_here(self, name: str, play: BlockingRound) -> None:
        self.done[name] = 0
        while not self._over.is_set():
            try:
                play()
            except TorilError as error:
                self.errors[f"{name}: {type(error).__name__}"] += 1
            else:
                self.done[name] += 1
            time.sleep(_BREATH_S)
