"""A job as it is stored: one hash, read into one frozen record.

`data` and `opts` must be readable, or the job cannot be run; every other field may be absent,
foreign or nonsense without stopping anybody.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from toril.bullmq.wire.options import NO_OPTIONS, StoredOptions, read_options
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


def read_job(job_id: str, fields: Mapping[bytes, bytes]) -> JobRecord:
    """Read a stored job.

    Raises:
        UndecodableError: names the field that cannot be read.
    """
    if b"name" not in fields:
        raise UndecodableError("name", "it is missing")
    options = decode(fields.get(b"opts", b"{}"), field="opts")
    if not isinstance(options, dict):
        raise UndecodableError("opts", f"it holds {type(options).__name__}, not an object")
    data = decode(fields.get(b"data", b"{}"), field="data")
    return _record(job_id, fields, data, read_options(options))


def unreadable_job(job_id: str, fields: Mapping[bytes, bytes]) -> JobRecord:
    """What can be said of a job that cannot be read: enough to store it as failed."""
    return _record(job_id, fields, None, NO_OPTIONS)


def _record(
    job_id: str, fields: Mapping[bytes, bytes], data: object, options: StoredOptions
) -> JobRecord:
    return JobRecord(
        id=job_id,
        name=_text(fields.get(b"name")) or "",
        data=data,
        options=options,
        timestamp=_moment(fields.get(b"timestamp")) or 0,
        delay_ms=_integer(fields.get(b"delay")) or 0,
        priority=_integer(fields.get(b"priority")) or 0,
        attempts_made=_integer(fields.get(b"atm")) or 0,
        attempts_started=_integer(fields.get(b"ats")) or 0,
        stalled_count=_integer(fields.get(b"stc")) or 0,
        processed_on=_moment(fields.get(b"processedOn")),
        processed_by=_text(fields.get(b"pb")),
        finished_on=_moment(fields.get(b"finishedOn")),
        progress=_value(fields.get(b"progress")),
        return_value=_value(fields.get(b"returnvalue")),
        failed_reason=_text(fields.get(b"failedReason")),
        stack_trace=_stack_trace(fields.get(b"stacktrace")),
        deferred_failure=_text(fields.get(b"defa")),
    )


def _text(raw: bytes | None) -> str | None:
    return None if raw is None else raw.decode("utf-8", "replace")


def _integer(raw: bytes | None) -> int | None:
    try:
        return None if raw is None else int(raw)
    except ValueError:
        return None


def _moment(raw: bytes | None) -> int | None:
    moment = _integer(raw)
    return moment if moment is not None and 0 <= moment <= LATEST_MS else None


def _value(raw: bytes | None) -> object:
    try:
        return None if raw is None else decode(raw, field="value")
    except UndecodableError:
        return _text(raw)


def _stack_trace(raw: bytes | None) -> tuple[str, ...]:
    rows = _value(raw)
    return tuple(str(row) for row in rows) if isinstance(rows, list) else ()
