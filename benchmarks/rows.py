"""What is measured, beside whom, and how good it is to be."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final, TypeAlias

from benchmarks.stage import Speed, Stage, percentile

Measure: TypeAlias = Callable[[Stage, str], float]

PEER: Final = "node"
OWN: Final = "toril"

_ROUNDS: Final = 5
_FEW_ROUNDS: Final = 3
"""Where rounds differ little, or take long."""


@dataclass(frozen=True)
class Row:
    """A figure of toril beside the peer's in the same round.

    The goal is a ratio to the peer, or with `is_absolute` a figure of toril alone.
    """

    title: str
    unit: str
    goal: float
    is_at_least: bool = False
    is_absolute: bool = False

    def told(self) -> str:
        sign = ">=" if self.is_at_least else "<="
        return f"{sign} {self.goal:g}{'' if self.is_absolute else 'x'}"


@dataclass
class Result:
    """The figures of every round."""

    row: Row
    peer: list[float]
    own: list[float]

    @property
    def ratios(self) -> list[float]:
        return [own / peer for own, peer in zip(self.own, self.peer, strict=True)]

    @property
    def ratio(self) -> float:
        """The median of the rounds: the machine changes between them, and both meet with it."""
        return median(self.ratios)

    @property
    def is_met(self) -> bool:
        figure = median(self.own) if self.row.is_absolute else self.ratio
        return figure >= self.row.goal if self.row.is_at_least else figure <= self.row.goal


class Group:
    """Figures that come out of one measurement."""

    def __init__(
        self,
        rows: Sequence[Row],
        measure: Callable[[Stage, str], Sequence[float]],
        sides: tuple[str, str] = (PEER, OWN),
        rounds: int = _ROUNDS,
    ) -> None:
        self.rows: Final = rows
        self.rounds: Final = rounds
        self.peer, self._own = sides
        self._measure: Final = measure

    def results(self, stage: Stage, rounds: int) -> Iterator[Result]:
        """Measure both in turn, each round in the other order."""
        peer, own = self.peer, self._own
        taken: dict[str, list[Sequence[float]]] = {peer: [], own: []}
        for number in range(rounds):
            for name in (peer, own) if number % 2 == 0 else (own, peer):
                taken[name].append(self._measure(stage, name))
        for place, row in enumerate(self.rows):
            yield Result(
                row,
                [figures[place] for figures in taken[peer]],
                [figures[place] for figures in taken[own]],
            )


def _worked(concurrency: int, count: int) -> Callable[[Stage, str], Sequence[float]]:
    def measure(stage: Stage, name: str) -> Sequence[float]:
        speed: Speed = stage.process(name, concurrency, count)
        return speed.jobs_per_s, speed.server_us, speed.client_us

    return measure


def _pickups(stage: Stage, name: str) -> Sequence[float]:
    times = stage.pickups(name)
    return percentile(times, 50), percentile(times, 99)


def _rate(title: str, goal: float) -> Row:
    return Row(title, "jobs/s", goal, is_at_least=True)


def _limiter(title: str, verb: str, peer: str, goal: float) -> Group:
    return Group(
        [Row(f"{title} | {peer}", "calls/s", goal, is_at_least=True)],
        lambda stage, name: [
            stage.calls(
                name, verb, 100_000 if (verb, name) == ("denied", "toril-limiter") else 6_000
            )
        ],
        sides=(peer, "toril-limiter"),
        rounds=_FEW_ROUNDS,
    )


def _lock(title: str, unit: str, verb: str, peer: str, goal: float) -> Group:
    return Group(
        [Row(f"{title} | {peer}", unit, goal, is_at_least=True)],
        lambda stage, name: [stage.locked(name, verb)],
        sides=(peer, "toril-locks"),
        rounds=_FEW_ROUNDS,
    )


def _cache(title: str, verb: str, sides: tuple[str, str], goal: float) -> Group:
    return Group(
        [Row(f"{title} | {sides[0]}", "calls/s", goal, is_at_least=True)],
        lambda stage, name: [stage.calls(name, verb, 6_000)],
        sides=sides,
        rounds=_FEW_ROUNDS,
    )


_BLOCKING: Final = ("dogpile", "toril-cache")
_ASYNCIO: Final = ("cashews", "toril-cache-async")


def _memory(colour: str) -> Group:
    return Group(
        [Row(f"hit in memory, {colour} | in Redis", "calls/s", 20.0, is_at_least=True)],
        lambda stage, name: [
            stage.calls(name, colour, 200_000 if name == "toril-memory" else 6_000)
        ],
        sides=("toril-no-memory", "toril-memory"),
        rounds=_FEW_ROUNDS,
    )


GROUPS: Final = (
    Group([_rate("work, 1 at a time", 1.2)], _worked(1, 8_000)),
    Group([_rate("work, 10 at a time", 1.3)], _worked(10, 20_000)),
    Group([_rate("work, 50 at a time", 1.8)], _worked(50, 25_000)),
    Group(
        [
            _rate("work, 100 at a time", 2.0),
            Row("Redis CPU of a job, at 100", "us", 0.6),
        ],
        _worked(100, 30_000),
    ),
    Group(
        [_rate("add one by one, 50 in flight", 1.5)],
        lambda stage, name: [stage.add_one_by_one(name)],
    ),
    Group([_rate("add 1,000 at once", 3.0)], lambda stage, name: [stage.add_in_bulk(name)]),
    Group(
        [
            Row("pickup by an idle worker, p50", "ms", 0.5),
            Row("pickup by an idle worker, p99", "ms", 0.3),
        ],
        _pickups,
    ),
    Group(
        [Row("lateness of delayed jobs, p99", "ms", 10.0, is_absolute=True)],
        lambda stage, name: [percentile(stage.lateness(name), 99)],
        rounds=_FEW_ROUNDS,
    ),
    _limiter("limit by window", "window", "limits", 1.0),
    _limiter("limit and tell", "statistics", "limits", 1.5),
    _limiter("limit by GCRA", "gcra", "throttled-py", 1.0),
    _limiter("refuse again", "denied", "limits", 50.0),
    _lock("lock and release", "calls/s", "alone", "redis-py-locks", 1.0),
    _lock("lock and release", "calls/s", "alone", "pottery-locks", 1.3),
    _lock("ten take a lock in turn", "turns/s", "turns", "redis-py-locks", 5.0),
    _cache("cache hit", "hit", _BLOCKING, 1.0),
    _cache("cache hit, asyncio", "hit", _ASYNCIO, 1.0),
    _cache("cache miss", "miss", _BLOCKING, 1.3),
    _cache("cache miss, asyncio", "miss", _ASYNCIO, 1.0),
    _memory("blocking"),
    _memory("asyncio"),
)
