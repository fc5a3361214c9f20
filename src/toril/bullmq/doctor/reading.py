"""What to read of a queue's keys, and what of it to keep."""

from collections.abc import Sequence
from typing import Final

from toril.bullmq.doctor.layout import INFRASTRUCTURE, JSON_FIELDS, SHALLOW, STATES, is_json
from toril.bullmq.doctor.snapshot import Content, Key
from toril.bullmq.operations.examine.read_keys import How

_SHORT: Final = 32


def how_to_read(name: str) -> How:
    """How much of a key the laws look at. States are read by themselves, window by window."""
    if name in STATES or name == "events":
        return "type"
    if name in INFRASTRUCTURE:
        return "all"
    tail = name.rpartition(":")[2]
    return "type" if tail == "logs" else "names" if tail in SHALLOW else "all"


def slim(key: Key) -> Key:
    """A job without the texts that are long and in order: a queue may hold many."""
    fields = key.fields()
    long = [name for name in JSON_FIELDS if len(fields.get(name, "")) > _SHORT]
    kept = {**fields, **{name: "null" for name in long if is_json(fields[name])}}
    if "failedReason" in kept:
        kept["failedReason"] = ""
    return Key(key.kind, kept, key.ttl_ms) if fields else key


def joined(kind: str, windows: Sequence[Key], ttl_ms: int | None) -> Key:
    """One key of the windows that were read of it; an id may have moved from one to the next."""
    content: Content = [item for window in windows for item in window.items()]
    if kind == "zset":
        content = {member: score for one in windows for member, score in one.scores().items()}
    return Key(kind, content, ttl_ms)
