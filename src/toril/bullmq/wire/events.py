"""Entries of the event stream, read into events, whoever wrote them."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Final

from toril.bullmq import queue_events as events
from toril.bullmq.queue_events import QueueEvent
from toril.bullmq.wire.job import LATEST_MS
from toril.bullmq.wire.state import STATES
from toril.core.codec import decode
from toril.core.errors import UndecodableError


def read_event(event_id: str, fields: Mapping[bytes, bytes]) -> QueueEvent:
    """The event that this entry tells.

    Raises:
        UndecodableError: a field that it needs is missing or cannot be read.
    """
    entry = _Entry(event_id, fields)
    reader = _READERS.get(entry.text("event"))
    return reader(entry) if reader else _other(entry)


class _Entry:
    """One entry; its fields are read when an event needs them."""

    def __init__(self, event_id: str, fields: Mapping[bytes, bytes]) -> None:
        self.id: Final = event_id
        self.fields: Final = fields

    @property
    def job_id(self) -> str:
        return self.text("jobId")

    @property
    def previous(self) -> str | None:
        """In toril's words: entries have names of keys here, and names of states there."""
        raw = self.fields.get(b"prev")
        return None if raw is None else STATES.get(_decoded(raw), _decoded(raw))

    def text(self, name: str) -> str:
        return _decoded(self._raw(name))

    def json(self, name: str) -> object:
        return decode(self._raw(name), field=name)

    def number(self, name: str) -> int:
        try:
            return int(self._raw(name))
        except ValueError:
            raise UndecodableError(name, "it is no whole number") from None

    def moment(self, name: str) -> datetime:
        moment_ms = self.number(name)
        if not 0 <= moment_ms <= LATEST_MS:
            raise UndecodableError(name, "it is no time")
        return datetime.fromtimestamp(moment_ms / 1000, UTC)

    def _raw(self, name: str) -> bytes:
        raw = self.fields.get(name.encode())
        if raw is None:
            raise UndecodableError(name, "it is missing")
        return raw


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _added(entry: _Entry) -> QueueEvent:
    return events.AddedEvent(id=entry.id, job_id=entry.job_id, name=entry.text("name"))


def _waiting(entry: _Entry) -> QueueEvent:
    return events.WaitingEvent(id=entry.id, job_id=entry.job_id, previous=entry.previous)


def _delayed(entry: _Entry) -> QueueEvent:
    return events.DelayedEvent(id=entry.id, job_id=entry.job_id, until=entry.moment("delay"))


def _waiting_children(entry: _Entry) -> QueueEvent:
    return events.WaitingChildrenEvent(id=entry.id, job_id=entry.job_id, previous=entry.previous)


def _active(entry: _Entry) -> QueueEvent:
    return events.ActiveEvent(id=entry.id, job_id=entry.job_id, previous=entry.previous)


def _progress(entry: _Entry) -> QueueEvent:
    return events.ProgressEvent(id=entry.id, job_id=entry.job_id, progress=entry.json("data"))


def _completed(entry: _Entry) -> QueueEvent:
    result = entry.json("returnvalue") if b"returnvalue" in entry.fields else None
    return events.CompletedEvent(
        id=entry.id, job_id=entry.job_id, result=result, previous=entry.previous
    )


def _failed(entry: _Entry) -> QueueEvent:
    reason = _decoded(entry.fields.get(b"failedReason", b""))
    return events.FailedEvent(
        id=entry.id, job_id=entry.job_id, reason=reason, previous=entry.previous
    )


def _retries_exhausted(entry: _Entry) -> QueueEvent:
    return events.RetriesExhaustedEvent(
        id=entry.id, job_id=entry.job_id, attempts_made=entry.number("attemptsMade")
    )


def _stalled(entry: _Entry) -> QueueEvent:
    return events.StalledEvent(id=entry.id, job_id=entry.job_id)


def _removed(entry: _Entry) -> QueueEvent:
    return events.RemovedEvent(id=entry.id, job_id=entry.job_id, previous=entry.previous)


def _duplicated(entry: _Entry) -> QueueEvent:
    return events.DuplicatedEvent(id=entry.id, job_id=entry.job_id)


def _deduplicated(entry: _Entry) -> QueueEvent:
    other = entry.fields.get(b"deduplicatedJobId")
    return events.DeduplicatedEvent(
        id=entry.id,
        job_id=entry.job_id,
        deduplication_id=entry.text("deduplicationId"),
        other_job_id=None if other is None else _decoded(other),
    )


def _debounced(entry: _Entry) -> QueueEvent:
    return events.DebouncedEvent(
        id=entry.id, job_id=entry.job_id, deduplication_id=entry.text("debounceId")
    )


def _drained(entry: _Entry) -> QueueEvent:
    return events.DrainedEvent(id=entry.id)


def _cleaned(entry: _Entry) -> QueueEvent:
    return events.CleanedEvent(id=entry.id, count=entry.number("count"))


def _paused(entry: _Entry) -> QueueEvent:
    return events.PausedEvent(id=entry.id)


def _resumed(entry: _Entry) -> QueueEvent:
    return events.ResumedEvent(id=entry.id)


def _other(entry: _Entry) -> QueueEvent:
    fields = {_decoded(name): _decoded(raw) for name, raw in entry.fields.items()}
    return events.OtherEvent(id=entry.id, name=fields.pop("event"), fields=fields)


_READERS: Final[Mapping[str, Callable[[_Entry], QueueEvent]]] = {
    "active": _active,
    "added": _added,
    "cleaned": _cleaned,
    "completed": _completed,
    "debounced": _debounced,
    "deduplicated": _deduplicated,
    "delayed": _delayed,
    "drained": _drained,
    "duplicated": _duplicated,
    "failed": _failed,
    "paused": _paused,
    "progress": _progress,
    "removed": _removed,
    "resumed": _resumed,
    "retries-exhausted": _retries_exhausted,
    "stalled": _stalled,
    "waiting": _waiting,
    "waiting-children": _waiting_children,
}
