"""The options of a job as the caller gives them, and every check before anything is sent."""

import time
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, TypeAlias, TypedDict

import msgspec

from toril.bullmq.deduplication import Deduplication
from toril.bullmq.job_checks import CHECKS
from toril.bullmq.keep import Keep
from toril.bullmq.operations.add.add_jobs import Added, NewJob, Once
from toril.bullmq.option_names import check_names
from toril.bullmq.wire.job import JobRecord
from toril.bullmq.wire.options import OPTION_NAMES, DeduplicationRule, read_options
from toril.core.backoff import DEFAULT_BACKOFF, Backoff
from toril.core.codec import MAX_OPTIONS_DEPTH, check_size, encode
from toril.core.durations import Duration, check_due, to_ms
from toril.core.errors import BadInputError
from toril.core.ids import check_idempotency_key, check_job_name

DEFAULT_ATTEMPTS: Final = 3
DEFAULT_IDEMPOTENCY_TTL: Final = timedelta(hours=24)
SHORTEST_IDEMPOTENCY_MS: Final = 1_000
NOT_STORED: Final = frozenset({"idempotency_key", "idempotency_ttl"})
"""Options that say how a job is added and not what it is."""


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

    deduplication: Deduplication
    """What makes it the same as another job, beside which it is not added."""

    size_limit: int
    """How many bytes its data may be as JSON, 10 MiB at most and by default."""

    timeout: Duration
    """How long a handler of toril may run it, instead of what the worker says; Node ignores it."""

    idempotency_key: str
    """A name of this add: whoever adds with the same key again, here or elsewhere, gets the id of
    the first job and adds none."""

    idempotency_ttl: Duration
    """How long the key is remembered, 24 hours by default."""


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
    stored: dict[str, object] = {}
    for option, value in {**DEFAULTS, **options}.items():
        checked = None if option in NOT_STORED else CHECKS[option](value, option)
        if checked is not None:
            stored[OPTION_NAMES[option]] = checked
    once = _once(options)
    check_job_name(name)
    data_json = encode(data, field="data", big_integers=big_integers)
    opts_json = encode(stored, field="options", max_depth=MAX_OPTIONS_DEPTH)
    _check_sizes(len(data_json), len(opts_json), options)
    _check_due(_stored_number(stored, "timestamp"), _stored_number(stored, "delay"))
    return NewJob(
        id=_stored_text(stored, "job_id"),
        name=name,
        data=data_json.decode(),
        opts=opts_json.decode(),
        delay_ms=_stored_number(stored, "delay"),
        priority=_stored_number(stored, "priority"),
        lifo=bool(stored.get(OPTION_NAMES["lifo"])),
        timestamp=_stored_number(stored, "timestamp"),
        once=once,
        deduplication=_rule(options),
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
        deduplication_id=job.deduplication.id if job.deduplication else None,
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


def _check_sizes(data_bytes: int, opts_bytes: int, options: Mapping[str, object]) -> None:
    limit = options.get("size_limit")
    if isinstance(limit, int) and data_bytes > limit:
        raise BadInputError("data", f"{data_bytes:,} bytes exceed the size_limit of {limit:,}")
    check_size(data_bytes + opts_bytes, field="data")


def _check_due(created_ms: int, delay_ms: int) -> None:
    """A delay that most callers give counts from about now; the server's clock decides."""
    if delay_ms:
        check_due((created_ms or time.time_ns() // 1_000_000) + delay_ms, "delay")


def _rule(options: Mapping[str, object]) -> DeduplicationRule | None:
    deduplication = options.get("deduplication")
    return deduplication.rule() if isinstance(deduplication, Deduplication) else None


def _once(options: Mapping[str, object]) -> Once | None:
    if "idempotency_key" not in options:
        if "idempotency_ttl" in options:
            raise BadInputError("idempotency_ttl", "has no idempotency_key to be remembered")
        return None
    ttl = options.get("idempotency_ttl", DEFAULT_IDEMPOTENCY_TTL)
    ttl_ms = to_ms(ttl, "idempotency_ttl", minimum=SHORTEST_IDEMPOTENCY_MS)  # type: ignore[arg-type]
    return Once(check_idempotency_key(options["idempotency_key"]), ttl_ms)


def _stored_number(stored: Mapping[str, object], option: str) -> int:
    value = stored.get(OPTION_NAMES[option], 0)
    return value if isinstance(value, int) else 0


def _stored_text(stored: Mapping[str, object], option: str) -> str:
    value = stored.get(OPTION_NAMES[option], "")
    return value if isinstance(value, str) else ""
