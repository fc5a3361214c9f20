"""The options of a job as they are stored: BullMQ's names and codes, and how to read them.

Reading is tolerant: a value of the wrong type counts as absent, as the other side may write what
this version does not know. Unknown options are kept in `raw`.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import msgspec

from toril.core.backoff import Backoff
from toril.core.codec import decode
from toril.core.durations import LONGEST_MS
from toril.core.errors import UndecodableError
from toril.core.json_rules import LARGEST_EXACT

KEEP_ALL: Final = -1

_LONGEST_KEPT: Final = 1_024

OPTION_NAMES: Final[Mapping[str, str]] = {
    "attempts": "attempts",
    "backoff": "backoff",
    "delay": "delay",
    "priority": "priority",
    "lifo": "lifo",
    "job_id": "jobId",
    "timestamp": "timestamp",
    "remove_on_complete": "removeOnComplete",
    "remove_on_fail": "removeOnFail",
    "stack_trace_limit": "stackTraceLimit",
    "keep_logs": "kl",
    "deduplication": "de",
    "size_limit": "sizeLimit",
    "timeout": "torilTimeout",
}
"""toril's name of an option, and the one it is stored under."""


class KeepRule(msgspec.Struct, frozen=True):
    """How many finished jobs stay: the newest `count`, none older than `age_s`; -1 for no limit."""

    count: int = KEEP_ALL
    age_s: int = KEEP_ALL


class DeduplicationRule(msgspec.Struct, frozen=True):
    """Which jobs are the same, and what becomes of a second one while the first owns the id."""

    id: str
    ttl_ms: int = 0
    extend: bool = False
    replace: bool = False
    keep_last: bool = False


class StoredBackoff(msgspec.Struct, frozen=True):
    """The pause between attempts as somebody stored it: the type may be one we do not know."""

    kind: str
    delay_ms: float = 0
    jitter: float = 0


class StoredOptions(msgspec.Struct, frozen=True):
    """What a worker needs to know of the options of a job it has."""

    attempts: int = 0
    backoff: StoredBackoff | None = None
    lifo: bool = False
    on_complete: KeepRule | None = None
    on_fail: KeepRule | None = None
    stack_trace_limit: int | None = None
    keep_logs: int | None = None
    timeout_ms: int | None = None
    raw: Mapping[str, object] = {}


NO_OPTIONS: Final = StoredOptions()


def options_of(text: bytes | str) -> StoredOptions:
    """Read a stored `opts` field.

    Most jobs of a queue have the options of others, and reading them takes its time.

    Raises:
        UndecodableError: it is not a JSON object.
    """
    return _often_read(text) if len(text) <= _LONGEST_KEPT else _read(text)


def read_options(raw: Mapping[str, object]) -> StoredOptions:
    """Make sense of a stored `opts` object."""
    return StoredOptions(
        attempts=_count(raw.get("attempts")) or 0,
        backoff=_backoff(raw.get("backoff")),
        lifo=bool(raw.get("lifo")),
        on_complete=_keep(raw.get("removeOnComplete")),
        on_fail=_keep(raw.get("removeOnFail")),
        stack_trace_limit=_count(raw.get("stackTraceLimit")),
        keep_logs=_count(raw.get("kl")),
        timeout_ms=min(_count(raw.get("torilTimeout")) or 0, LONGEST_MS) or None,
        raw=raw,
    )


def stored_keep(keep: KeepRule) -> dict[str, int]:
    """A retention rule as the wire spells it."""
    return {
        name: value
        for name, value in (("count", keep.count), ("age", keep.age_s))
        if value != KEEP_ALL
    }


def stored_backoff(backoff: Backoff) -> dict[str, object]:
    """A backoff as the wire spells it."""
    stored: dict[str, object] = {"type": backoff.kind, "delay": backoff.base_ms}
    if backoff.jitter:
        stored["jitter"] = backoff.jitter
    return stored


def stored_deduplication(rule: DeduplicationRule) -> dict[str, object]:
    """A rule as the wire spells it; what is not asked for is left out."""
    stored: dict[str, object] = {
        "id": rule.id,
        "ttl": rule.ttl_ms,
        "extend": rule.extend,
        "replace": rule.replace,
        "keepLastIfActive": rule.keep_last,
    }
    return {name: value for name, value in stored.items() if value}


def _read(text: bytes | str) -> StoredOptions:
    options = decode(text, field="opts")
    if not isinstance(options, dict):
        raise UndecodableError("opts", f"it holds {type(options).__name__}, not an object")
    return read_options(options)


_often_read: Final = lru_cache(maxsize=512)(_read)


def _count(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        return None
    return min(max(int(value), 0), LARGEST_EXACT)


def _limit(value: object) -> int:
    """How many or how old at most; nothing, nonsense and negative numbers are no limit."""
    number = _count(value)
    return KEEP_ALL if number is None or _number(value) < 0 else number


def _number(value: object) -> float:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else 0


def _keep(value: object) -> KeepRule | None:
    match value:
        case bool():
            return KeepRule(count=0) if value else KeepRule()
        case int() | float():
            return KeepRule(count=_limit(value))
        case Mapping():
            return KeepRule(_limit(value.get("count")), _limit(value.get("age")))
        case _:
            return None


def _backoff(value: object) -> StoredBackoff | None:
    match value:
        case int() | float() if value:
            return StoredBackoff("fixed", value)
        case {"type": str(kind), **rest}:
            return StoredBackoff(kind, _number(rest.get("delay")), _number(rest.get("jitter")))
        case _:
            return None
