"""Adds jobs at a steady rate, and writes down every call and what came of it."""

import asyncio
import random
import signal
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tests.support.journal import Journal

from toril import AsyncQueue
from toril.core.errors import OutcomeUnknownError, TorilError, UnavailableError
from toril.telemetry.emitter import Emitter

_TICK_S: Final = 0.005


class Producer:
    """One queue object; calls go out when they are due, whatever became of earlier ones."""

    def __init__(self, options: Mapping[str, Any], queue: AsyncQueue, journal: Journal) -> None:
        self._name: Final[str] = options["name"]
        self._deeds: Final[Sequence[Mapping[str, Any]]] = options["deeds"]
        self._weights: Final = [deed.get("weight", 1) for deed in self._deeds]
        self._keyed: Final[float] = options["keyed"]
        self._queue: Final = queue
        self._journal: Final = journal
        self._random: Final = random.Random(options["seed"])
        self._pad: Final = "x" * options["pad"]
        self._count = 0

    async def add(self) -> None:
        """One call, and its line in the journal."""
        self._count += 1
        key = f"{self._name}-{self._count}"
        [deed] = self._random.choices(self._deeds, self._weights)
        options = dict(deed.get("options", {}))
        if "delay" in options:
            options["delay"] = self._random.uniform(0, options["delay"])
        if self._random.random() < self._keyed:
            options["job_id"] = key
        data = {**deed["data"], "pad": self._pad}
        self._journal.write("called", key, note=options.get("job_id", ""))
        try:
            job = await self._queue.add(deed["data"]["do"], data, **options)
        except UnavailableError as error:
            self._journal.write("refused", key, note=str(error))
        except OutcomeUnknownError as error:
            self._journal.write("unknown", key, note=str(error))
        except TorilError as error:
            self._journal.write("unhandled", key, note=repr(error))
        else:
            self._journal.write("added", key, note=job.id)


def main(options: Mapping[str, Any]) -> int:
    """Add for so many seconds; 0 unless something went wrong that no scenario means."""
    with Journal(options["journal"]) as journal:
        asyncio.run(_produce(options, journal))
        journal.write("left", options["name"])
    return 0


async def _produce(options: Mapping[str, Any], journal: Journal) -> None:
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    loop.set_exception_handler(lambda _, what: journal.write("unhandled", "loop", note=repr(what)))
    async with (
        AsyncQueue(options["queue"], options["url"], emitter=Emitter()) as queue,
        asyncio.TaskGroup() as calls,
    ):
        producer = Producer(options, queue, journal)
        began, made = loop.time(), 0
        most = round(options["rate"] * options["seconds"])
        while made < most and not stop.is_set():
            due = min(int((loop.time() - began) * options["rate"]) + 1, most)
            for _ in range(due - made):
                calls.create_task(producer.add())
            made = due
            await asyncio.sleep(_TICK_S)
