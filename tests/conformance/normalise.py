"""One keyspace, told so that two honest runs read the same: and nothing else is smoothed over.

Told otherwise than stored, and nowhere but in the named fields: absolute times (as the step they
fell into, with the relation that the protocol gives them; members of sorted sets that stand in one
millisecond have no order), tokens of locks, the version in
`meta`, texts of stack traces (their number stays), and random delays where the scenario says
between what. Options are compared after parsing, because the order of their keys is free.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from tests.conformance.clock import StepClock
from tests.conformance.ranking import Ranking

from toril.bullmq.doctor.layout import strict_json
from toril.bullmq.doctor.snapshot import Key, Pairs, Snapshot

Told: TypeAlias = dict[str, object]
"""Path to value: `bull:mail:1 finishedOn` to `<step 3>`."""

CLOCK_FIELDS: Final = frozenset({"timestamp", "processedOn", "finishedOn"})
BACKDATED_MS: Final = (0, 60_000, 120_000)
"""How far scenarios put back the minute that metrics have closed last."""

LIVES_MS: Final = (30_000, 5_000, 1_000)
"""Lives of locks, stalled checks and rate limits in scenarios."""

_VERSION: Final = re.compile(r"[a-z][a-z-]*:\d+\.\d+\.\d+")
_SCORE_UNITS: Final = 4096
"""A delayed job's score counts 4096ths of a millisecond."""


class Normaliser:
    """Tells the keyspaces of one run, step after step. It remembers what each due time meant."""

    def __init__(
        self,
        bases: Sequence[str],
        clock: StepClock,
        *,
        delays_between: tuple[int, int] | None = None,
        leaving_out: Sequence[str] = (),
    ) -> None:
        self._bases = bases
        self._clock = clock
        self._delays_between = delays_between
        self._leaving_out = leaving_out
        self._due: dict[int, str] = {}

    def tell(self, snapshot: Snapshot) -> Told:
        """Every key but toril's own, as paths and values."""
        views = [_View(self, snapshot, base) for base in (*self._bases, "")]
        return dict(
            pair
            for name, key in snapshot.keys.items()
            if not name.startswith("toril:")
            for pair in next(view for view in views if view.has(name)).tell(name, key)
        )

    def is_told(self, pairs: Pairs) -> bool:
        """Whether an entry of the event stream is compared."""
        return dict(pairs).get("event") not in self._leaving_out

    def time(self, ms: float) -> str:
        """A past moment."""
        return self._clock.name(ms) or f"{ms:.17g}"

    def due(self, ms: int, delays_ms: Iterable[int]) -> str:
        """A moment to come: the step it was counted from, and the delay. Told once, kept since."""
        if ms not in self._due:
            told = (self._due_after(ms, delay_ms) for delay_ms in (*delays_ms, 0))
            self._due[ms] = next((text for text in told if text), str(ms))
        return self._due[ms]

    def _due_after(self, ms: int, delay_ms: int) -> str | None:
        step = self._clock.name(ms - delay_ms)
        return f"{step}+{self.delay(delay_ms)}" if step and delay_ms else step

    def delay(self, ms: int) -> str:
        """A delay: exact, unless the scenario lets chance choose."""
        if self._delays_between and ms:
            low, high = self._delays_between
            return "<random delay>" if low <= ms <= high else str(ms)
        return str(ms)


class _View:
    """One queue in one snapshot, being told."""

    def __init__(self, normaliser: Normaliser, snapshot: Snapshot, base: str) -> None:
        self._normaliser = normaliser
        self._snapshot = snapshot
        self._base = base

    def has(self, name: str) -> bool:
        return name.startswith(self._base)

    def tell(self, name: str, key: Key) -> Iterator[tuple[str, object]]:
        suffix = name.removeprefix(self._base)
        yield f"{name} type", key.kind
        yield f"{name} expires", self._end_of_life(key)
        if key.kind == "hash":
            yield from ((f"{name} {field}", value) for field, value in self._hash(suffix, key))
        elif key.kind == "zset":
            yield f"{name} members", self._zset(suffix, key)
        elif key.kind == "stream":
            told = [pairs for _, pairs in key.entries() if self._normaliser.is_told(pairs)]
            for number, pairs in enumerate(told):
                yield f"{name} [{number}]", self._entry(pairs)
        elif key.kind == "string":
            yield f"{name} value", self._string(suffix, key.text())
        else:
            yield f"{name} members", key.items()

    def _end_of_life(self, key: Key) -> str:
        if key.ttl_ms is None:
            return "never"
        end_ms = self._snapshot.now_ms + key.ttl_ms
        steps = ((life, self._normaliser.time(end_ms - life)) for life in LIVES_MS)
        told = (f"{step}+{life}" for life, step in steps if step.startswith("<"))
        return next(told, f"in {key.ttl_ms} ms")

    def _string(self, suffix: str, value: str) -> str:
        if suffix.endswith(":lock"):
            return "<token>" if value else ""
        if suffix == "stalled-check":
            return self._moment(value)
        return value

    def _hash(self, suffix: str, key: Key) -> Iterator[tuple[str, object]]:
        fields = key.fields()
        for name, value in fields.items():
            if suffix == "meta" and name == "version" and _VERSION.fullmatch(value):
                yield name, "<library:version>"
            elif name in CLOCK_FIELDS:
                yield name, self._moment(value)
            elif name == "prevTS":
                yield name, self._closed_minute(value)
            elif name == "delay" and value.isdecimal():
                yield name, self._normaliser.delay(int(value))
            elif name == "stacktrace":
                yield name, _traces(value)
            elif name == "opts":
                yield from _flat(name, strict_json(value))
            else:
                yield name, value

    def _moment(self, value: str) -> str:
        return self._normaliser.time(int(value)) if value.isdecimal() else value

    def _closed_minute(self, value: str) -> str:
        steps = ((back, self._normaliser.time(int(value) + back)) for back in BACKDATED_MS)
        return next((f"{step}-{back}" for back, step in steps if step.startswith("<")), value)

    def _zset(self, suffix: str, key: Key) -> Ranking:
        # The counter in a delayed score is told exactly: of the order only the time is open.
        unit = _SCORE_UNITS if suffix == "delayed" else 1
        return Ranking(
            (f"{member} at {self._score(suffix, member, score)}", score // unit)
            for member, score in key.scores().items()
        )

    def _score(self, suffix: str, member: str, score: float) -> str:
        if suffix in ("completed", "failed"):
            finished = self._job(member).get("finishedOn")
            same = "finishedOn" if finished == f"{score:.0f}" else "not finishedOn"
            return f"{self._normaliser.time(score)}, {same}"
        if suffix == "waiting-children" or suffix.endswith(":unsuccessful"):
            return self._normaliser.time(score)
        if suffix == "delayed":
            return self._units(int(score), member)
        if suffix == "marker" and member == "1":
            return self._units(round(score * _SCORE_UNITS), self._head_of_delayed())
        return f"{score:.17g}"

    def _units(self, score: int, job_id: str) -> str:
        ms, extra = divmod(score, _SCORE_UNITS)
        return f"({self._due(ms, job_id)})*{_SCORE_UNITS}+{extra}"

    def _due(self, ms: int, job_id: str) -> str:
        delay = self._job(job_id).get("delay", "0")
        return self._normaliser.due(ms, [int(delay)] if delay.isdecimal() else [])

    def _head_of_delayed(self) -> str:
        return next(iter(self._snapshot.get(f"{self._base}delayed").items()), "")

    def _job(self, job_id: str) -> Mapping[str, str]:
        return self._snapshot.get(f"{self._base}{job_id}").fields()

    def _entry(self, pairs: Pairs) -> str:
        event = dict(pairs)
        told = (f"{name}={self._event_field(event, name, value)}" for name, value in pairs)
        return " ".join(told)

    def _event_field(self, event: Mapping[str, str], name: str, value: str) -> str:
        if event.get("event") == "delayed" and name == "delay" and value.isdecimal():
            return f"({self._due(int(value), event.get('jobId', ''))})"
        return value


def _traces(value: str) -> object:
    traces = strict_json(value)
    if not isinstance(traces, list):
        return value
    return ["<trace>" if isinstance(trace, str) and trace else trace for trace in traces]


def _flat(path: str, value: object) -> Iterator[tuple[str, object]]:
    """Objects as dotted paths, so that a difference names the option; `{}` stays visible."""
    if isinstance(value, dict) and value:
        for name, item in value.items():
            yield from _flat(f"{path}.{name}", item)
    else:
        yield path, value
