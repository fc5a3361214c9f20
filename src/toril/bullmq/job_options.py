"""The options of a job as the caller gives them, and every check before anything is sent."""

import time
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, TypeAlias, TypedDict

import msgspec

from toril.bullmq.custom_backoff import CustomBackoff
from toril.bullmq.deduplication import Deduplication
from toril.bullmq.job_checks import CHECKS
from toril.bullmq.keep import Keep
from toril.bullmq.operations.add.add_jobs import Added, NewJob, Once
from toril.bullmq.wire.job import JobRecord
from toril.bullmq.wire.options import OPTION_NAMES, DeduplicationRule, options_of
from toril.core.backoff import DEFAULT_BACKOFF, Backoff
from toril.core.codec import MAX_OPTIONS_DEPTH, check_size, encode
from toril.core.durations import Duration, check_due, to_ms
from toril.core.errors import BadInputError
from toril.core.ids import check_idempotency_key, check_job_name
from toril.core.option_names import check_names

DEFAULT_ATTEMPTS: Final = 3
DEFAULT_IDEMPOTENCY_TTL: Final = timedelta(hours=24)
SHORTEST_IDEMPOTENCY_MS: Final = 1_000
NOT_STORED: Final = frozenset({"idempotency_key", "idempotency_ttl"})
"""Options that say how a job is added and not what it is."""


class JobOptions(TypedDict, total=False):
    """What can be said about a job when it is added."""

    attempts: int
    """How often it may run in all, 3 by default; 0 and 1 both mean once."""

    backoff: Backoff | CustomBackoff | Duration | None
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


class _Checked(msgspec.Struct, frozen=True):
    """The options of a job, each checked: as they are stored, and what of them a script goes by."""

    text: str
    text_bytes: int
    job_id: str = ""
    delay_ms: int = 0
    priority: int = 0
    lifo: bool = False
    timestamp: int = 0
    once: Once | None = None
    deduplication: DeduplicationRule | None = None
    size_limit: int | None = None


def new_job(
    name: str, data: object, options: Mapping[str, object], *, big_integers: bool
) -> NewJob:
    """Check everything and encode it; what comes out can be sent.

    Raises:
        BadInputError: names the option, and what it may be.
    """
    checked = _check(options) if options else _USUAL
    check_job_name(name)
    text = encode(data, field="data", big_integers=big_integers)
    _check_size(len(text), checked)
    _check_due(checked)
    return NewJob(
        checked.job_id,
        name,
        text.decode(),
        checked.text,
        checked.delay_ms,
        checked.priority,
        checked.lifo,
        checked.timestamp,
        checked.once,
        checked.deduplication,
    )


def new_jobs(specs: Sequence[JobSpec], *, big_integers: bool) -> list[NewJob]:
    """Check and encode them all.

    Raises:
        BadInputError: names the job by its place, and the field.
    """
    return [_new_job_at(place, spec, big_integers=big_integers) for place, spec in enumerate(specs)]


def record_of(job: NewJob, data: object, added: Added) -> JobRecord:
    """What is stored of a job that was just added."""
    return JobRecord(
        id=added.id,
        name=job.name,
        data=data,
        options=options_of(job.opts),
        timestamp=added.timestamp,
        delay_ms=job.delay_ms,
        priority=job.priority,
        deduplication_id=job.deduplication.id if job.deduplication else None,
    )


def _new_job_at(place: int, spec: object, *, big_integers: bool) -> NewJob:
    match spec:
        case (str(name), data):
            options: Mapping[str, object] = {}
        case (str(name), data, Mapping() as given):
            options = given
        case _:
            problem = "is not a tuple of name, data and, if need be, options"
            raise BadInputError(f"jobs[{place}]", problem)
    try:
        return new_job(name, data, options, big_integers=big_integers)
    except BadInputError as error:
        raise BadInputError(f"jobs[{place}].{error.field}", error.problem) from None


def _check(options: Mapping[str, object]) -> _Checked:
    check_names(options, JobOptions, "job")
    stored: dict[str, Any] = {}
    for option, value in {**DEFAULTS, **options}.items():
        checked = None if option in NOT_STORED else CHECKS[option](value, option)
        if checked is not None:
            stored[OPTION_NAMES[option]] = checked
    once = _once(options)
    text = encode(stored, field="options", max_depth=MAX_OPTIONS_DEPTH)
    return _Checked(
        text.decode(),
        len(text),
        job_id=stored.get(OPTION_NAMES["job_id"], ""),
        delay_ms=stored.get(OPTION_NAMES["delay"], 0),
        priority=stored.get(OPTION_NAMES["priority"], 0),
        lifo=stored.get(OPTION_NAMES["lifo"], False),
        timestamp=stored.get(OPTION_NAMES["timestamp"], 0),
        once=once,
        deduplication=_rule(options),
        size_limit=stored.get(OPTION_NAMES["size_limit"]),
    )


def _check_size(data_bytes: int, checked: _Checked) -> None:
    limit = checked.size_limit
    if limit is not None and data_bytes > limit:
        raise BadInputError("data", f"{data_bytes:,} bytes exceed the size_limit of {limit:,}")
    check_size(data_bytes + checked.text_bytes, field="data")


def _check_due(checked: _Checked) -> None:
    """A delay that most callers give counts from about now; the server's clock decides."""
    if checked.delay_ms:
        check_due((checked.timestamp or time.time_ns() // 1_000_000) + checked.delay_ms, "delay")


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


_USUAL: Final = _check({})
"""Of a job that says nothing about itself."""
