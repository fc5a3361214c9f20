"""Names and ids that may become parts of keys, and where Redis Cluster puts a key.

A key is `<prefix>:<queue>:<part>`, and a job's id stands where `wait` or `meta` stands for the
queue itself: an id of that name would overwrite the queue, so it is refused here.
"""

import re
from binascii import crc_hqx
from typing import Final

from toril.core.errors import BadInputError

LONGEST_NAME: Final = 255
"""Characters in a queue name, a prefix, a job name, a job id, an idempotency key or a
deduplication id."""

SLOTS: Final = 16384

RESERVED_JOB_IDS: Final = frozenset(
    {
        "active",
        "completed",
        "de",
        "delay",
        "delayed",
        "dn",
        "events",
        "failed",
        "id",
        "limiter",
        "marker",
        "meta",
        "metrics",
        "paused",
        "pc",
        "prioritized",
        "priority",
        "repeat",
        "stalled",
        "stalled-check",
        "wait",
        "waiting-children",
    }
)
"""What a queue calls its own keys."""

_LETTERS_SHOWN: Final = 40
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
_GLOB: Final = re.compile(r"[*?\[\]\\]")
_INTEGER: Final = re.compile(r"0|-?[1-9][0-9]*")
_NOT_IN_CLIENT_NAMES: Final = re.compile(r"[^A-Za-z0-9._-]")


def check_queue_name(name: object) -> str:
    """The name, if it can be a queue's.

    Raises:
        BadInputError: what is wrong with it.
    """
    text = _check_text(name, "queue")
    if ":" in text:
        raise BadInputError("queue", f"{_shown(text)} has a colon, which separates parts of keys")
    return text


def check_prefix(prefix: object) -> str:
    """The prefix, if queues can live under it; it may have colons, as in `staging:bull`.

    Raises:
        BadInputError: what is wrong with it.
    """
    text = _check_text(prefix, "prefix")
    if _GLOB.search(text):
        raise BadInputError(
            "prefix",
            f"{_shown(text)} has one of * ? [ ] \\, which are patterns in SCAN and in ACLs",
        )
    if text.split(":", 1)[0] == "toril":
        raise BadInputError("prefix", "'toril' is where toril keeps what is not a queue")
    return text


def check_job_name(name: object) -> str:
    """The name, if it can be a job's.

    Raises:
        BadInputError: what is wrong with it.
    """
    return _check_text(name, "name")


def check_job_id(job_id: object) -> str:
    """The id, if a caller may choose it for a job.

    Raises:
        BadInputError: it would collide with a key of the queue, or with an id that Redis counts.
    """
    text = _check_text(job_id, "job_id")
    if ":" in text:
        raise BadInputError("job_id", f"{_shown(text)} has a colon, which separates parts of keys")
    if _INTEGER.fullmatch(text):
        raise BadInputError(
            "job_id", f"{_shown(text)} is an integer, and those are counted by Redis"
        )
    if text in RESERVED_JOB_IDS:
        raise BadInputError("job_id", f"{text!r} is the name of one of the queue's own keys")
    return text


def check_known_job_id(job_id: object) -> str:
    """The id, if a job may have it, whoever gave it.

    Raises:
        BadInputError: what is wrong with it.
    """
    if not isinstance(job_id, str):
        raise BadInputError("job_id", f"is of type {type(job_id).__qualname__}: pass a str")
    if not job_id:
        raise BadInputError("job_id", "is empty")
    if _SURROGATE.search(job_id):
        raise BadInputError("job_id", f"{_shown(job_id)} has a lone surrogate, which is not text")
    return job_id


def check_idempotency_key(key: object) -> str:
    """The key, if two adds can be told to be the same one by it.

    Raises:
        BadInputError: what is wrong with it.
    """
    return _check_text(key, "idempotency_key")


def check_deduplication_id(deduplication_id: object) -> str:
    """The id, if jobs can be told to be the same by it.

    Raises:
        BadInputError: what is wrong with it.
    """
    return _check_text(deduplication_id, "deduplication.id")


def check_backoff_name(name: object) -> str:
    """The name, if workers and producers can agree on pauses by it.

    Raises:
        BadInputError: what is wrong with it.
    """
    return _check_text(name, "backoff.name")


def worker_id(hostname: str, pid: int, random6: str) -> str:
    """The name of one worker, fit for CLIENT SETNAME, which takes no spaces."""
    return f"{_NOT_IN_CLIENT_NAMES.sub('-', hostname)}-{pid}-{random6}"


def hash_tag(name: str) -> str:
    """The queue's name in braces, so that Redis Cluster keeps all its keys in one slot.

    >>> hash_tag("mail")
    '{mail}'

    Raises:
        BadInputError: the name has braces already.
    """
    if "{" in name or "}" in name:
        raise BadInputError("queue", f"{_shown(name)} has braces already: use it as it is")
    return f"{{{check_queue_name(name)}}}"


def tag_of(key: str) -> str | None:
    """The part of a key that alone decides its slot: between the first braces, unless empty."""
    _, opened, rest = key.partition("{")
    tag, closed, _ = rest.partition("}")
    return tag if opened and closed and tag else None


def slot_of(key: str) -> int:
    """The Redis Cluster slot of a key: CRC16 (XMODEM) of its tag, or of all of it."""
    return crc_hqx((tag_of(key) or key).encode(), 0) % SLOTS


def _check_text(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise BadInputError(field, f"is of type {type(value).__qualname__}: pass a str")
    if not value:
        raise BadInputError(field, "is empty")
    if len(value) > LONGEST_NAME:
        raise BadInputError(
            field, f"{len(value)} characters exceed the limit of {LONGEST_NAME}: {_shown(value)}"
        )
    if value.isascii() and value.isprintable():
        return value
    if _CONTROL.search(value):
        raise BadInputError(field, f"{_shown(value)} has a control character")
    if _SURROGATE.search(value):
        raise BadInputError(field, f"{_shown(value)} has a lone surrogate, which is not text")
    return value


def _shown(text: str) -> str:
    cut = text if len(text) <= _LETTERS_SHOWN else f"{text[:_LETTERS_SHOWN]}…"
    return repr(cut)
