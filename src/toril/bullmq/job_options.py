"""The options of a job as the caller gives them, and every check before anything is sent."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeAlias, TypedDict

import msgspec

from toril.bullmq.operations.add.add_jobs import Added, NewJob
from toril.bullmq.option_names import check_names
from toril.bullmq.wire.job import JobRecord
from toril.bullmq.wire.options import (
    OPTION_NAMES,
    KeepRule,
    read_options,
    stored_backoff,
    stored_keep,
)
from toril.core.backoff import DEFAULT_BACKOFF, Backoff
from toril.core.codec import MAX_OPTIONS_DEPTH, check_size, encode
from toril.core.durations import Duration, timestamp_ms, to_ms
from toril.core.errors import BadInputError
from toril.core.ids import check_job_id, check_job_name

DEFAULT_ATTEMPTS: Final = 3
MOST_ATTEMPTS: Final = 1_000_000
LOWEST_PRIORITY: Final = 2**21 - 1
MOST_KEPT: Final = 2**53 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """Which finished jobs stay: the newest `count`, none older than `age`."""

    count: int | None = None
    age: Duration | None = None

    def rule(self, field: str) -> KeepRule:
        """As it is stored; the wire counts age in whole seconds."""
        if self.count is not None:
            check_whole(self.count, f"{field}.count", 0, MOST_KEPT)
        age_ms = None if self.age is None else to_ms(self.age, f"{field}.age")
        return KeepRule(
            count=-1 if self.count is None else self.count,
            age_s=-1 if age_ms is None else -(-age_ms // 1_000),
        )


class JobOptions(TypedDict, total=False):
    """What can be said about a job when it is added."""

    attempts: int
    """How often it may run in all, 3 by default; 0 and 1 both mean once."""

    backoff: Backoff | Duration | None
    """The pause between attempts: exponential from 1 s by default; a duration is a fixed pause,
    None no pause."""

    delay: Duration
    """How long it waits before it may run."""

    priority: int
    """From 1, which runs first, to 2,097,151; 0, the default, is none and runs before all."""

    lifo: bool
    """Whether it is the next to run, rather than the last."""

    job_id: str
    """An id of your own; a second job with the same id is not added."""

    timestamp: datetime
    """When it was created, if not now."""

    remove_on_complete: bool | int | Keep
    """Whether it goes once it is completed, or how many completed jobs stay."""

    remove_on_fail: bool | int | Keep
    """Whether it goes once it has failed for good, or how many failed jobs stay."""

    stack_trace_limit: int
    """How many tracebacks of failed attempts are stored."""

    keep_logs: int
    """How many rows of its log are stored, 1,000 at most."""


NO_DATA: Final[Mapping[str, object]] = {}
"""What a job without data holds; None is data of its own, and stored as null."""

DEFAULTS: Final[JobOptions] = {"attempts": DEFAULT_ATTEMPTS, "backoff": DEFAULT_BACKOFF}


JobSpec: TypeAlias = tuple[str, object] | tuple[str, object, JobOptions]
"""A job for `add_many`: its name, its data and, if need be, its options."""


def new_job(
    name: str, data: object, options: Mapping[str, object], *, big_integers: bool
) -> NewJob:
    """Check everything and encode it; what comes out can be sent.

    Raises:
        BadInputError: names the option, and what it may be.
    """
    check_names(options, JobOptions, "job")
    given = {**DEFAULTS, **options}
    stored: dict[str, object] = {}
    for option, value in given.items():
        checked = _CHECKS[option](value, option)
        if checked is not None:
            stored[OPTION_NAMES[option]] = checked
    check_job_name(name)
    data_json = encode(data, field="data", big_integers=big_integers)
    opts_json = encode(stored, field="options", max_depth=MAX_OPTIONS_DEPTH)
    check_size(len(data_json) + len(opts_json), field="data")
    return NewJob(
        id=_stored_text(stored, "job_id"),
        name=name,
        data=data_json.decode(),
        opts=opts_json.decode(),
        delay_ms=_stored_number(stored, "delay"),
        priority=_stored_number(stored, "priority"),
        lifo=bool(stored.get(OPTION_NAMES["lifo"])),
        timestamp=_stored_number(stored, "timestamp"),
    )


def new_jobs(specs: Sequence[JobSpec], *, big_integers: bool) -> list[NewJob]:
    """Check and encode them all.

    Raises:
        BadInputError: names the job by its place, and the field.
    """
    return [
        _new_job_at(f"jobs[{place}]", spec, big_integers=big_integers)
        for place, spec in enumerate(specs)
    ]


def record_of(job: NewJob, data: object, added: Added) -> JobRecord:
    """What is stored of a job that was just added."""
    return JobRecord(
        id=added.id,
        name=job.name,
        data=data,
        options=read_options(msgspec.json.decode(job.opts)),
        timestamp=added.timestamp,
        delay_ms=job.delay_ms,
        priority=job.priority,
    )


def _new_job_at(place: str, spec: object, *, big_integers: bool) -> NewJob:
    match spec:
        case (str(name), data):
            options: Mapping[str, object] = {}
        case (str(name), data, Mapping() as given):
            options = given
        case _:
            raise BadInputError(place, "is not a tuple of name, data and, if need be, options")
    try:
        return new_job(name, data, options, big_integers=big_integers)
    except BadInputError as error:
        raise BadInputError(f"{place}.{error.field}", error.problem) from None


def _stored_number(stored: Mapping[str, object], option: str) -> int:
    value = stored.get(OPTION_NAMES[option], 0)
    return value if isinstance(value, int) else 0


def _stored_text(stored: Mapping[str, object], option: str) -> str:
    value = stored.get(OPTION_NAMES[option], "")
    return value if isinstance(value, str) else ""


def check_whole(value: object, field: str, least: int, most: int) -> int:
    """The value, if it is an int within these bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise BadInputError(field, f"{value!r} is not a whole number from {least:,} to {most:,}")
    return value


def _truth(value: object, field: str) -> bool:
    if not isinstance(value, bool):
        raise BadInputError(field, f"{value!r} is neither True nor False")
    return value


def _attempts(value: object, field: str) -> int:
    return check_whole(value, field, 0, MOST_ATTEMPTS)


def _backoff(value: object, field: str) -> dict[str, object] | None:
    if value is None:
        return None
    backoff = value if isinstance(value, Backoff) else Backoff.fixed(value)  # type: ignore[arg-type]
    del field
    return stored_backoff(backoff)


def _delay(value: object, field: str) -> int:
    return to_ms(value, field)  # type: ignore[arg-type]


def _priority(value: object, field: str) -> int:
    return check_whole(value, field, 0, LOWEST_PRIORITY)


def _timestamp(value: object, field: str) -> int:
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


def _limit(value: object, field: str) -> int:
    return check_whole(value, field, 0, MOST_KEPT)


_CHECKS: Final[Mapping[str, Callable[[object, str], object]]] = {
    "attempts": _attempts,
    "backoff": _backoff,
    "delay": _delay,
    "priority": _priority,
    "lifo": _truth,
    "job_id": _job_id,
    "timestamp": _timestamp,
    "remove_on_complete": _keep,
    "remove_on_fail": _keep,
    "stack_trace_limit": _limit,
    "keep_logs": _limit,
}
