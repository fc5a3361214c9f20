"""Where a scenario plays: a server, a proxy, workers, producers, and a clock that ends it."""

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from tests.chaos.load import PRODUCER, Load, Producers
from tests.chaos.record import Record
from tests.chaos.staff import NODE_WORKER, WORKER, Staff
from tests.support.nursery import Nursery
from tests.support.proxy import Proxy
from tests.support.proxy_rules import Rule
from tests.support.servers import ValkeyServer

from toril import Queue
from toril.telemetry.emitter import Emitter

if TYPE_CHECKING:
    import redis

QUEUE: Final = "chaos"
BASE: Final = f"bull:{{{QUEUE}}}:"

_PROGRAMS: Final = (WORKER, NODE_WORKER, PRODUCER)
_EVENTS: Final = 10_000_000
_UNFINISHED: Final = ("wait", "paused", "active", "prioritized", "delayed")
_TICK_S: Final = 0.05


class Stage:
    """Everything a scenario may use. What it starts ends with it."""

    def __init__(
        self,
        folder: Path,
        *,
        seed: int,
        seconds: float,
        server: Mapping[str, Any],
        programs: Sequence[str],
    ) -> None:
        self.folder: Final = folder
        self.seconds: Final = seconds
        self.dice: Final = random.Random(seed)
        self.server: Final = ValkeyServer(**server)
        self._programs: Final = (*_PROGRAMS, *programs)
        self._stack: Final = ExitStack()
        self._rules: Final[list[Rule]] = []
        self._ends_at = 0.0

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self.record = stack.enter_context(closing(Record(self.folder / "journal.tsv")))
            stack.enter_context(self.server)
            self.proxy = stack.enter_context(Proxy(self.server.port))
            self.client: redis.Redis = stack.enter_context(self.server.client())
            self._nursery = stack.enter_context(Nursery(self.folder, self._programs))
            self._place = {
                "url": self.server.url,
                "queue": QUEUE,
                "journal": str(self.record.path),
            }
            self.staff = Staff(self._nursery, self.record, self.dice, self._place)
            self.producers = Producers(self._nursery, self.record, self.dice, self._place)
            self._open_queue()
            self._stack.push(stack.pop_all())
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def begin(self, load: Load | None = None, **other: Any) -> None:  # noqa: ANN401
        """Start the clock of the scenario, and the producers: of this load, or of `Load(**other)`.

        Without arguments the load is that of the scoreboard.
        """
        self._ends_at = time.monotonic() + self.seconds
        self.producers.start(load or Load(**other), self.seconds)

    def beats(self, every_s: float, *, jitter: float = 0.3, least_s: float = 0.0) -> Iterator[int]:
        """Count again and again, about that far apart, while at least `least_s` are left."""
        number = 0
        while True:
            pause_s = every_s * self.dice.uniform(1 - jitter, 1 + jitter)
            if time.monotonic() + pause_s > self._ends_at - least_s:
                return self.wait_for_end()
            self.wait(pause_s)
            yield number
            number += 1

    def wait_for_end(self) -> None:
        """Let the rest of the scenario pass."""
        self.wait(max(0.0, self._ends_at - time.monotonic()))

    def wait(self, seconds: float) -> None:
        """Let time pass, and look after the workers meanwhile."""
        until = time.monotonic() + seconds
        while (left_s := until - time.monotonic()) > 0:
            time.sleep(min(left_s, _TICK_S))
            self.staff.look_after()

    def queue(self) -> Queue:
        """The queue of the scenario, on the server itself."""
        return Queue(QUEUE, self.server.url, emitter=Emitter())

    def strike(self, rule: Rule) -> None:
        """Have the proxy make this trouble; each time is a fault."""
        self._rules.append(self.proxy.add_rule(rule))

    @property
    def struck(self) -> int:
        """How many requests met with a fault at the proxy."""
        return sum(rule.struck for rule in self._rules)

    def run(self, module: str, options: Mapping[str, Any], timeout_s: float) -> None:
        """Run one of the scenario's programs and wait for it; its code must be 0."""
        name = self.record.name(module.rpartition(".")[2])
        child = self._nursery.start(module, {**self._place, **options}, name=name)
        if code := child.wait(timeout_s):
            self.record.problem(f"{name} ended with {code}")

    def finish(self, drain_s: float) -> None:
        """See the producers end, the queue run empty, and the workers leave."""
        self.producers.end(drain_s)
        deadline = time.monotonic() + drain_s
        while self._unfinished() and time.monotonic() < deadline:
            self.wait(_TICK_S)
        self.wait(0.2)
        self.staff.leave()
        for log in sorted(self.folder.glob("*.log")):
            if text := log.read_text("utf-8", "replace").strip():
                self.record.problem(f"{log.stem} says {text.splitlines()[-1]}")

    def _open_queue(self) -> None:
        """Load every script and make the queue, with its events kept for the judge."""
        with Queue(QUEUE, self.server.url, emitter=Emitter(), max_events=_EVENTS) as queue:
            queue.add("warm")
        self.client.flushdb()
        self.client.hset(f"{BASE}meta", "opts.maxLenEvents", str(_EVENTS))

    def _unfinished(self) -> int:
        pipe = self.client.pipeline(transaction=False)
        for place in _UNFINISHED:
            key = BASE + place
            pipe.zcard(key) if place in ("prioritized", "delayed") else pipe.llen(key)
        return sum(pipe.execute())
