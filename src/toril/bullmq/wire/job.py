"""A job as it is stored: one hash, read into one frozen record.

`data` and `opts` must be readable, or the job cannot be run; every other field may be absent,
foreign or nonsense without stopping anybody.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from toril.bullmq.wire.options import NO_OPTIONS, StoredOptions, options_of
from toril.core.codec import decode
from toril.core.errors import UndecodableError

FAILED_REASON: Final = "failedReason"
STACK_TRACE: Final = "stacktrace"
LATEST_MS: Final = 253_402_300_799_999
"""The end of the year 9999, after which a datetime has no name for a moment."""


class JobRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is stored of one job. Times are milliseconds since the epoch."""

    id: str
    name: str
    data: object
    options: StoredOptions = NO_OPTIONS
    timestamp: int = 0
    delay_ms: int = 0
    priority: int = 0
    attempts_made: int = 0
    attempts_started: int = 0
    stalled_count: int = 0
    processed_on: int | None = None
    processed_by: str | None = None
    finished_on: int | None = None
    progress: object = None
    return_value: object = None
    failed_reason: str | None = None
    stack_trace: tuple[str, ...] = ()
    deferred_failure: str | None = None
    deduplication_id: str | None = None
    problem: str | None = None
    """Why data or options cannot be read, if so; they are empty then."""
    parent_key: str | None = None


def read_job(job_id: str, fields: Mapping[bytes, bytes]) -> JobRecord:
    """Read a stored job.

    Raises:
        UndecodableError: names the field that cannot be read.
    """
    if b"name" not in fields:
        raise UndecodableError("name", "it is missing")
    options = options_of(fields.get(b"opts", b"{}"))
    data = decode(fields.get(b"data", b"{}"), field="data")
    return JobRecord(id=job_id, data=data, options=options, **_others(fields))


def unreadable_job(
    job_id: str, fields: Mapping[bytes, bytes], problem: str | None = None
) -> JobRecord:
    """What can be said of a job that cannot be read: enough to store it as failed."""
    known = {"id": job_id, "name": "", "data": None, "problem": problem}
    return JobRecord(**known | _others(fields))


def _others(fields: Mapping[bytes, bytes]) -> dict[str, Any]:
    """Every field but data and options, where it is there and makes sense."""
    found = {}
    for raw_name, raw in fields.items():
        if (reader := _READERS.get(raw_name)) is not None:
            name, read = reader
            value = read(raw)
            if value is not None:
                found[name] = value
    return found


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _integer(raw: bytes) -> int | None:
    try:
        return int(raw)
    except ValueError:
        return None


def _moment(raw: bytes) -> int | None:
    moment = _integer(raw)
    return moment if moment is not None and 0 <= moment <= LATEST_MS else None


def _value(raw: bytes) -> object:
    try:
        return decode(raw, field="value")
    except UndecodableError:
        return _text(raw)


def _stack_trace(raw: bytes) -> tuple[str, ...]:
    rows = _value(raw)
    return tuple(str(row) for row in rows) if isinstance(rows, list) else ()


_READERS: Final[Mapping[bytes, tuple[str, Callable[[bytes], object]]]] = {
    b"name": ("name", _text),
    b"timestamp": ("timestamp", _moment),
    b"delay": ("delay_ms", _integer),
    b"priority": ("priority", _integer),
    b"atm": ("attempts_made", _integer),
    b"ats": ("attempts_started", _integer),
    b"stc": ("stalled_count", _integer),
    b"processedOn": ("processed_on", _moment),
    b"pb": ("processed_by", _text),
    b"finishedOn": ("finished_on", _moment),
    b"progress": ("progress", _value),
    b"returnvalue": ("return_value", _value),
    FAILED_REASON.encode(): ("failed_reason", _text),
    STACK_TRACE.encode(): ("stack_trace", _stack_trace),
    b"defa": ("deferred_failure", _text),
    b"deid": ("deduplication_id", _text),
    b"parentKey": ("parent_key", _text),
}
"""Where a stored field goes in a record, and how it is read."""
