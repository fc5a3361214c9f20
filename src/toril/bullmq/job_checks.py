"""Each option of a job alone: whether it may be so, and how it is stored."""

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

from toril.bullmq.custom_backoff import CustomBackoff
from toril.bullmq.deduplication import Deduplication
from toril.bullmq.keep import MOST_KEPT, Keep
from toril.bullmq.wire.options import stored_backoff, stored_deduplication, stored_keep
from toril.core.backoff import Backoff
from toril.core.checks import check_truth, check_whole
from toril.core.codec import MAX_DATA_BYTES, check_size, encode
from toril.core.durations import Duration, check_due, delay_until, timestamp_ms, to_ms
from toril.core.errors import BadInputError
from toril.core.ids import check_job_id

MOST_ATTEMPTS: Final = 1_000_000
LOWEST_PRIORITY: Final = 2**21 - 1
LEAST_DATA_BYTES: Final = 2
"""Of a job without data, `{}`."""

SHORTEST_TIMEOUT_MS: Final = 1


def check_row(row: object) -> str:
    """The row as text, if a log can hold it."""
    text = str(row)
    check_size(len(text.encode("utf-8", "replace")), field="row")
    return text


def check_progress(progress: object) -> bytes:
    """The progress as JSON, if it can be stored and told."""
    text = encode(progress, field="progress")
    check_size(len(text), field="progress")
    return text


def _attempts(value: object, field: str) -> int:
    return check_whole(value, field, 0, MOST_ATTEMPTS)


def _backoff(value: object, field: str) -> dict[str, object] | None:
    if value is None:
        return None
    del field
    if isinstance(value, CustomBackoff):
        return value.stored()
    backoff = value if isinstance(value, Backoff) else Backoff.fixed(value)  # type: ignore[arg-type]
    return stored_backoff(backoff)


def _delay(value: object, field: str) -> int:
    return to_ms(value, field)  # type: ignore[arg-type]


def check_priority(value: object, field: str) -> int:
    """The value, if a job can have it for its priority."""
    return check_whole(value, field, 0, LOWEST_PRIORITY)


def check_new_delay(delay: Duration) -> int:
    """The delay in milliseconds, if a job can be put off by it from about now."""
    delay_ms = to_ms(delay, "delay")
    check_due(time.time_ns() // 1_000_000 + delay_ms, "delay")
    return delay_ms


def check_until(until: datetime | Duration) -> None:
    """Refuse a moment, or a time from about now, until which no job can be put off."""
    now_ms = time.time_ns() // 1_000_000
    check_due(now_ms + delay_until(until, "until", now_ms=now_ms), "until")


def check_timestamp(value: object, field: str) -> int:
    """The moment in milliseconds, after 1970 and with a time zone."""
    if not isinstance(value, datetime):
        raise BadInputError(field, f"{value!r} is not a datetime")
    moment = timestamp_ms(value, field)
    if moment <= 0:
        raise BadInputError(field, f"{value.isoformat()} is not after 1970")
    return moment


def _job_id(value: object, field: str) -> str:
    del field
    return check_job_id(value)


def _keep(value: object, field: str) -> object:
    if isinstance(value, bool):
        return value
    if isinstance(value, Keep):
        return stored_keep(value.rule(field))
    return check_whole(value, field, 0, MOST_KEPT)


def _deduplication(value: object, field: str) -> object:
    if not isinstance(value, Deduplication):
        raise BadInputError(field, f"is of type {type(value).__qualname__}: pass a Deduplication")
    return stored_deduplication(value.rule())


def _size_limit(value: object, field: str) -> int:
    return check_whole(value, field, LEAST_DATA_BYTES, MAX_DATA_BYTES)


def _timeout(value: object, field: str) -> int:
    return to_ms(value, field, minimum=SHORTEST_TIMEOUT_MS)  # type: ignore[arg-type]


def _limit(value: object, field: str) -> int:
    return check_whole(value, field, 0, MOST_KEPT)


CHECKS: Final[Mapping[str, Callable[[object, str], object]]] = {
    "attempts": _attempts,
    "backoff": _backoff,
    "delay": _delay,
    "priority": check_priority,
    "lifo": check_truth,
    "job_id": _job_id,
    "timestamp": check_timestamp,
    "remove_on_complete": _keep,
    "remove_on_fail": _keep,
    "stack_trace_limit": _limit,
    "keep_logs": _limit,
    "deduplication": _deduplication,
    "size_limit": _size_limit,
    "timeout": _timeout,
}
"""By the name of the option; None means that nothing is stored."""
