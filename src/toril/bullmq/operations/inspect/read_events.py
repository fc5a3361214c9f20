"""Read what happened to the jobs of a queue, from an event on, waiting for the next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from toril.bullmq.operations.inspect.finish_state import Completed, Failed
from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Command, Reply


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """One entry of the event stream."""

    id: str
    fields: Mapping[bytes, bytes]

    @property
    def job_id(self) -> str:
        """The job it is about; empty for an event about the queue."""
        return self.fields.get(b"jobId", b"").decode("utf-8", "replace")

    @property
    def end(self) -> Completed | Failed | None:
        """How the job ended, if this event says so."""
        match self.fields.get(b"event"):
            case b"completed":
                return Completed(self.fields.get(b"returnvalue", b"null"))
            case b"failed":
                return Failed(self.fields.get(b"failedReason", b"").decode("utf-8", "replace"))
            case _:
                return None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadEvents:
    """Entries after `after_id`; none when nothing happens for `block_ms`."""

    keys: QueueKeys
    after_id: str
    block_ms: int
    limit: int = 500

    def command(self) -> Command:
        return Command(
            self.keys.events,
            (
                *("XREAD", "COUNT", self.limit, "BLOCK", max(self.block_ms, 1)),
                *("STREAMS", self.keys.events, self.after_id),
            ),
        )

    def decode(self, reply: Reply) -> Sequence[StoredEvent]:
        match reply:
            case None:
                return ()
            case [[bytes(), [*entries]]]:
                return [_stored_event(entry) for entry in entries]
            case _:
                raise UnexpectedReplyError("XREAD", reply)


def _stored_event(entry: object) -> StoredEvent:
    match entry:
        case [bytes(event_id), [*flat]]:
            texts = [text for text in flat if isinstance(text, bytes)]
            if len(texts) != len(flat) or len(flat) % 2:
                raise UnexpectedReplyError("XREAD", entry)
            return StoredEvent(event_id.decode(), dict(zip(texts[::2], texts[1::2], strict=True)))
        case _:
            raise UnexpectedReplyError("XREAD", entry)
