"""Where a reader is in the event stream, and whether the stream has left it behind."""

import re
from typing import Final

from toril.bullmq.operations.inspect.stream_edges import Edges
from toril.bullmq.queue_events import BEGINNING, EventsMissed
from toril.core.errors import BadInputError

_ID: Final = re.compile(r"([0-9]{1,20})(?:-([0-9]{1,20}))?")
_LARGEST: Final = 2**64 - 1


def check_position(after: object) -> str:
    """The id of an event, as it stands in the stream.

    Raises:
        BadInputError: it is no such id.
    """
    match = _ID.fullmatch(after) if isinstance(after, str) else None
    if match is None or int(match[1]) > _LARGEST or int(match[2] or 0) > _LARGEST:
        raise BadInputError("after", f"{after!r} is not the id of an event, such as '1700000000-0'")
    return f"{match[1]}-{match[2] or 0}"


def missed(after: str, edges: Edges | None, *, is_empty: bool) -> EventsMissed | None:
    """What a read from behind `after` cannot have brought, judged by what the stream keeps now.

    A reading that is empty tells of a stream that ends before its reader: it was made anew, or
    the server has forgotten its end.
    """
    if after == BEGINNING or edges is None:
        return None
    first, last = edges
    position = _parts(after)
    if is_empty:
        return EventsMissed(id=after, until=last) if _parts(last) < position else None
    return EventsMissed(id=after, until=first) if position < _parts(first) else None


def _parts(event_id: str) -> tuple[int, int]:
    moment, _, number = event_id.partition("-")
    return int(moment), int(number)
