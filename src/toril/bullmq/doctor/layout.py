"""BullMQ's keys of one queue, sorted into what they are: the ground the invariants stand on."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NoReturn

from toril.bullmq.doctor.snapshot import ABSENT, Key, Snapshot

LISTS: Final = ("wait", "paused", "active")
ZSETS: Final = ("prioritized", "delayed", "waiting-children", "completed", "failed")
STATES: Final = (*LISTS, *ZSETS)
READY: Final = ("wait", "paused", "prioritized")

INFRASTRUCTURE: Final[Mapping[str, str]] = {
    **dict.fromkeys(LISTS, "list"),
    **dict.fromkeys(ZSETS, "zset"),
    "stalled": "set",
    "marker": "zset",
    "events": "stream",
    "meta": "hash",
    "id": "string",
    "pc": "string",
    "limiter": "string",
    "stalled-check": "string",
    "repeat": "zset",
    "metrics:completed": "hash",
    "metrics:failed": "hash",
    "metrics:completed:data": "list",
    "metrics:failed:data": "list",
}
"""Keys there is one of per queue, with their type."""

SUB_KEYS: Final[Mapping[str, str]] = {
    "lock": "string",
    "logs": "list",
    "dependencies": "set",
    "processed": "hash",
    "failed": "hash",
    "unsuccessful": "zset",
}
"""Keys that belong to one job: `<job id>:<name>`."""

SHALLOW: Final = ("processed", "failed")
"""Sub-keys whose fields matter, and not their values."""

_INTEGER: Final = re.compile(r"-?[0-9]{1,19}")
_COUNTER: Final = re.compile(r"0|-?[1-9][0-9]{0,15}")

JOB_FIELDS: Final = ("name", "data", "opts", "timestamp")
"""What every job hash has from its first moment."""

JSON_FIELDS: Final = ("data", "opts", "progress", "parent", "stacktrace", "returnvalue")
"""Fields of a job that hold JSON."""

NUMBERS: Final = (
    *("timestamp", "delay", "priority", "processedOn", "finishedOn"),
    *("ats", "atm", "stc"),
)
"""Fields of a job that are counters or times."""


@dataclass(frozen=True)
class Layout:
    """The keys of one queue, without their common beginning."""

    now_ms: int
    infrastructure: dict[str, Key] = field(default_factory=dict)
    jobs: dict[str, Key] = field(default_factory=dict)
    sub_keys: dict[tuple[str, str], Key] = field(default_factory=dict)
    owners: dict[str, Key] = field(default_factory=dict)
    """`de:` and `dn:` keys of deduplication."""
    schedulers: dict[str, Key] = field(default_factory=dict)
    unknown: dict[str, Key] = field(default_factory=dict)

    @classmethod
    def of(cls, snapshot: Snapshot, base: str) -> "Layout":
        """Sort every key of the snapshot that begins with `base`."""
        layout = cls(snapshot.now_ms)
        for name, key in snapshot.keys.items():
            if name.startswith(base):
                layout._place(name.removeprefix(base), key)
        return layout

    def _place(self, suffix: str, key: Key) -> None:
        head, _, tail = suffix.rpartition(":")
        if suffix in INFRASTRUCTURE:
            self.infrastructure[suffix] = key
        elif suffix.startswith(("de:", "dn:")):
            self.owners[suffix] = key
        elif _is_job(key):
            self.jobs[suffix] = key
        elif head == "repeat" and key.kind == "hash":
            self.schedulers[tail] = key
        elif head and tail in SUB_KEYS:
            self.sub_keys[head, tail] = key
        elif key.kind == "hash":
            self.jobs[suffix] = key
        else:
            self.unknown[suffix] = key

    @cached_property
    def states(self) -> dict[str, list[str]]:
        """Job id to the states it is in, once for each time it is there."""
        found: dict[str, list[str]] = {}
        for state in STATES:
            for job_id in self.key(state).items():
                found.setdefault(job_id, []).append(state)
        return found

    @cached_property
    def options(self) -> dict[str, dict[str, object]]:
        """Job id to its stored options; empty where they cannot be read."""
        return {job_id: _object(self.hash(job_id).get("opts", "{}")) for job_id in self.jobs}

    @cached_property
    def events(self) -> list[dict[str, str]]:
        """The event stream, oldest first."""
        return [dict(pairs) for _, pairs in self.key("events").entries()]

    @cached_property
    def event_limit(self) -> int:
        """The approximate cap of the event stream."""
        return _number(self.key("meta").fields().get("opts.maxLenEvents", "")) or 10_000

    @property
    def is_paused(self) -> bool:
        """Whether the settings say so: the value does not count."""
        return "paused" in self.key("meta").fields()

    @property
    def concurrency(self) -> int | None:
        """The cap on active jobs of the whole queue, if there is one."""
        limit = self.key("meta").fields().get("concurrency")
        return _number(limit) if limit else None

    @property
    def is_in_window(self) -> bool:
        """Whether a window of a rate limit is under way."""
        return self.key("limiter").kind != "none"

    def key(self, suffix: str) -> Key:
        """A key there is one of per queue."""
        return self.infrastructure.get(suffix, ABSENT)

    def sub_key(self, job_id: str, name: str) -> Key:
        """A key that belongs to a job."""
        return self.sub_keys.get((job_id, name), ABSENT)

    def hash(self, job_id: str) -> dict[str, str]:
        """The fields of a job; none when there is no such job."""
        return self.jobs[job_id].fields() if job_id in self.jobs else {}

    def is_number(self, job_id: str, name: str) -> bool:
        """Whether a counter or a time of a job is written as one, if at all."""
        return bool(_INTEGER.fullmatch(self.hash(job_id).get(name, "0")))

    def number(self, job_id: str, name: str) -> int:
        """A counter or a time of a job; 0 where it is not written, or is no number."""
        return _number(self.hash(job_id).get(name, ""))

    def within(self, state: str) -> Iterator[str]:
        """Jobs of one state that have a hash; the others break another law."""
        return (job_id for job_id in self.key(state).items() if job_id in self.jobs)

    def all_keys(self) -> Iterator[tuple[str, Key]]:
        """Every key that is state: none of them may expire."""
        yield from self.infrastructure.items()
        yield from self.jobs.items()
        yield from ((f"{head}:{tail}", key) for (head, tail), key in self.sub_keys.items())


def _is_job(key: Key) -> bool:
    return {"data", "opts", "timestamp"} <= key.fields().keys()


def can_count(text: str) -> bool:
    """Whether Redis can count on from what this key holds."""
    return bool(_COUNTER.fullmatch(text))


def _number(text: str) -> int:
    return int(text) if _INTEGER.fullmatch(text) else 0


def _object(text: str) -> dict[str, object]:
    try:
        value = strict_json(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def strict_json(text: str) -> object:
    """Parse as Node's JSON.parse does, or raise ValueError: no NaN, no infinities."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def is_json(text: str) -> bool:
    """Whether Node can parse it."""
    try:
        strict_json(text)
    except ValueError:
        return False
    return True


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
