"""What the journal and the keyspace say about a scenario when it is over."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, cast

from tests.support.journal import Entry

if TYPE_CHECKING:
    import redis

PLACES: Final[Mapping[str, str]] = {
    "wait": "list",
    "paused": "list",
    "active": "list",
    "prioritized": "zset",
    "delayed": "zset",
    "waiting-children": "zset",
    "completed": "zset",
    "failed": "zset",
}
SPENT: Final = "job stalled more than allowable limit"

_BATCH: Final = 500
_FIELDS: Final = (
    "name",
    "timestamp",
    "processedOn",
    "finishedOn",
    "atm",
    "stc",
    "failedReason",
    "opts",
)


@dataclass(slots=True)
class Run:
    """One time a handler began on a job. `how` is empty when nobody saw its end."""

    job_id: str
    number: int
    pid: int
    began: float
    began_ms: int
    ended: float | None = None
    how: str = ""


@dataclass(slots=True)
class Call:
    """One call of `add`. `verdict` is added, refused, unknown; nothing, in a killed process."""

    key: str
    job_id: str
    at: float
    answered: float | None = None
    verdict: str = ""


@dataclass(frozen=True, slots=True)
class Stored:
    """A job as the server has it."""

    places: tuple[str, ...]
    fields: Mapping[str, str]

    @property
    def name(self) -> str:
        return self.fields.get("name", "")

    @property
    def asked_delay_ms(self) -> int:
        """The delay it was added with; the stored one is cleared when it is over."""
        return int(json.loads(self.fields.get("opts", "{}")).get("delay", 0))

    @property
    def due_ms(self) -> int:
        """When it may begin, by the clock that stamped it."""
        return self.number("timestamp") + self.asked_delay_ms

    def number(self, name: str) -> int:
        """A counter or a time; 0 where there is none."""
        return int(self.fields.get(name) or 0)

    @property
    def is_spent(self) -> bool:
        """It was lost with its worker more often than is allowed, and failed for that."""
        return self.places == ("failed",) and self.fields.get("failedReason") == SPENT


@dataclass
class Evidence:
    """Everything that can be known afterwards. Times are those of the machine's monotonic clock."""

    runs: dict[str, list[Run]] = field(default_factory=lambda: defaultdict(list))
    calls: dict[str, Call] = field(default_factory=dict)
    others: dict[str, list[Entry]] = field(default_factory=lambda: defaultdict(list))
    """Whatever else was written down, by what happened: faults, losses, what was unhandled."""

    stored: dict[str, Stored] = field(default_factory=dict)
    told: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often the queue's own events told what of which job."""

    @property
    def added(self) -> dict[str, Call]:
        """Id to the call that was told of it."""
        return {call.job_id: call for call in self.calls.values() if call.verdict == "added"}

    @property
    def seconds(self) -> float:
        """How long jobs were added."""
        moments = [call.at for call in self.calls.values()]
        return max(moments, default=0.0) - min(moments, default=0.0)

    @property
    def all_runs(self) -> list[Run]:
        """In the order of their beginnings."""
        return sorted((run for runs in self.runs.values() for run in runs), key=lambda r: r.began)


def read_entries(entries: Iterable[Entry]) -> Evidence:
    """Put the lines of a journal together."""
    evidence = Evidence()
    open_runs: dict[tuple[str, int, int], Run] = {}
    for entry in entries:
        match entry.what:
            case "began":
                run = Run(entry.subject, entry.number, entry.pid, entry.at, entry.wall_ms)
                open_runs[entry.subject, entry.number, entry.pid] = run
                evidence.runs[entry.subject].append(run)
            case "ended":
                run = open_runs[entry.subject, entry.number, entry.pid]
                run.ended, run.how = entry.at, entry.note
            case "called":
                evidence.calls[entry.subject] = Call(entry.subject, entry.note, entry.at)
            case "added" | "refused" | "unknown":
                call = evidence.calls[entry.subject]
                call.answered, call.verdict = entry.at, entry.what
                call.job_id = entry.note if entry.what == "added" else call.job_id
            case _:
                evidence.others[entry.what].append(entry)
    return evidence


def read_queue(client: "redis.Redis", base: str, evidence: Evidence) -> None:
    """Add what the server has of every job, and what its events told."""
    places: dict[str, list[str]] = defaultdict(list)
    for place, kind in PLACES.items():
        read = client.lrange if kind == "list" else client.zrange
        for listed in cast("list[bytes]", read(base + place, 0, -1)):
            places[listed.decode()].append(place)
    ids = list(places)
    for first in range(0, len(ids), _BATCH):
        batch = ids[first : first + _BATCH]
        pipe = client.pipeline(transaction=False)
        for job_id in batch:
            pipe.hmget(base + job_id, *_FIELDS)
        for job_id, values in zip(batch, pipe.execute(), strict=True):
            evidence.stored[job_id] = Stored(tuple(places[job_id]), _fields(values))
    for _, event in cast("list[tuple[bytes, dict[bytes, bytes]]]", client.xrange(f"{base}events")):
        evidence.told[event[b"event"].decode(), event.get(b"jobId", b"").decode()] += 1


def _fields(values: list[bytes | None]) -> dict[str, str]:
    return {
        name: value.decode("utf-8", "replace")
        for name, value in zip(_FIELDS, values, strict=True)
        if value is not None
    }
