"""What a queue is given to do: deeds, and the producers that add them."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from tests.chaos.record import Record
from tests.support.nursery import Child, Nursery

from toril import Queue

PRODUCER: Final = "tests.chaos.programs.producer"


def deed(do: str, *, weight: float = 1, options: Any = None, **data: object) -> dict[str, Any]:  # noqa: ANN401
    """One kind of job of a load: what its handler does, how often it comes, how it is added."""
    return {"data": {"do": do, **data}, "weight": weight, "options": options or {}}


def sleep_20_ms(weight: float = 1) -> dict[str, Any]:
    """The deed of an ordinary job."""
    return deed("sleep", weight=weight, **{"for": 0.02})


@dataclass(frozen=True, kw_only=True)
class Load:
    """What each of `producers` adds: `rate` jobs a second, drawn from `deeds` by their weight.

    A share of `keyed` is added with an id of its own, `pad` bytes make up the payload, and it goes
    on for `seconds`, or to the end of the scenario. `url` is another way to the server.
    """

    deeds: Sequence[Mapping[str, Any]] = (sleep_20_ms(),)
    producers: int = 2
    rate: float = 100
    keyed: float = 0.0
    pad: int = 150
    seconds: float | None = None
    url: str | None = None


class Producers:
    """Processes that add jobs, and the hand of the scenario itself."""

    def __init__(
        self, nursery: Nursery, record: Record, dice: random.Random, place: Mapping[str, Any]
    ) -> None:
        self._nursery: Final = nursery
        self._record: Final = record
        self._dice: Final = dice
        self._place: Final = place
        self._children: Final[list[Child]] = []

    def start(self, load: Load, seconds: float) -> None:
        """Add from now on, for so many seconds unless the load says otherwise."""
        chosen = {name: value for name, value in asdict(load).items() if value is not None}
        for _ in range(load.producers):
            name = self._record.name("producer")
            own = {"name": name, "seed": self._dice.getrandbits(32)}
            options = {**self._place, "seconds": seconds, **chosen, **own}
            self._children.append(self._nursery.start(PRODUCER, options, name=name))

    def add(self, queue: Queue, data: Mapping[str, Any], **options: Any) -> str:  # noqa: ANN401
        """Add a job from here, and note the call; the id."""
        key = self._record.name("call")
        self._record.journal.write("called", key)
        job = queue.add(str(data["do"]), dict(data), **options)
        self._record.journal.write("added", key, note=job.id)
        return job.id

    def end(self, patience_s: float) -> None:
        """Wait until they have added everything and had all their answers."""
        for child in self._children:
            if code := child.wait(patience_s):
                self._record.problem(f"{child.name} ended with {code}")
