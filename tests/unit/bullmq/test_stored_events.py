"""Entries of the stream become events, whoever wrote them, or are told to be none."""

from datetime import UTC, datetime

import pytest

from toril.bullmq import queue_events as happened
from toril.bullmq.event_position import check_position, missed
from toril.bullmq.queue_events import BEGINNING, EventsMissed, QueueEvent
from toril.bullmq.wire.events import read_event
from toril.core.errors import BadInputError, UndecodableError

ID = "1700000000123-4"
J = "7"


@pytest.mark.parametrize(
    ("fields", "event"),
    [
        ("event=added jobId=7 name=n", happened.AddedEvent(id=ID, job_id=J, name="n")),
        ("event=waiting jobId=7", happened.WaitingEvent(id=ID, job_id=J)),
        (
            "event=waiting jobId=7 prev=waiting-children",
            happened.WaitingEvent(id=ID, job_id=J, previous="waiting_children"),
        ),
        (
            "event=delayed jobId=7 delay=1700000000000",
            happened.DelayedEvent(
                id=ID, job_id=J, until=datetime.fromtimestamp(1_700_000_000, UTC)
            ),
        ),
        (
            "event=waiting-children jobId=7 prev=active",
            happened.WaitingChildrenEvent(id=ID, job_id=J, previous="active"),
        ),
        (
            "event=active jobId=7 prev=waiting",
            happened.ActiveEvent(id=ID, job_id=J, previous="waiting"),
        ),
        (
            "event=progress jobId=7 data=[50]",
            happened.ProgressEvent(id=ID, job_id=J, progress=[50]),
        ),
        (
            "event=completed jobId=7 returnvalue=5 prev=active",
            happened.CompletedEvent(id=ID, job_id=J, result=5, previous="active"),
        ),
        ("event=completed jobId=7", happened.CompletedEvent(id=ID, job_id=J)),
        (
            "event=failed jobId=7 failedReason={no prev=active",
            happened.FailedEvent(id=ID, job_id=J, reason="{no", previous="active"),
        ),
        ("event=failed jobId=7", happened.FailedEvent(id=ID, job_id=J)),
        (
            "event=retries-exhausted jobId=7 attemptsMade=3",
            happened.RetriesExhaustedEvent(id=ID, job_id=J, attempts_made=3),
        ),
        ("event=stalled jobId=7", happened.StalledEvent(id=ID, job_id=J)),
        (
            "event=removed jobId=7 prev=wait",
            happened.RemovedEvent(id=ID, job_id=J, previous="waiting"),
        ),
        ("event=duplicated jobId=7", happened.DuplicatedEvent(id=ID, job_id=J)),
        (
            "event=debounced jobId=7 debounceId=d",
            happened.DebouncedEvent(id=ID, job_id=J, deduplication_id="d"),
        ),
        (
            "event=deduplicated jobId=7 deduplicationId=d deduplicatedJobId=8",
            happened.DeduplicatedEvent(id=ID, job_id=J, deduplication_id="d", other_job_id="8"),
        ),
        ("event=drained", happened.DrainedEvent(id=ID)),
        ("event=cleaned count=12", happened.CleanedEvent(id=ID, count=12)),
        ("event=paused", happened.PausedEvent(id=ID)),
        ("event=resumed", happened.ResumedEvent(id=ID)),
        (
            "event=of-tomorrow jobId=7",
            happened.OtherEvent(id=ID, name="of-tomorrow", fields={"jobId": "7"}),
        ),
    ],
)
def test_an_entry_becomes_an_event(fields: str, event: QueueEvent) -> None:
    assert read_event(ID, _fields(fields)) == event


def test_every_class_of_events_but_the_missed_is_read_from_an_entry() -> None:
    """So that one which is declared and never told is noticed."""
    marks = test_an_entry_becomes_an_event.pytestmark  # type: ignore[attr-defined]
    read = {type(event) for _, event in marks[0].args[1]}

    assert read == {*_leaves(QueueEvent)} - {EventsMissed}


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ("", "event cannot be read: it is missing"),
        ("event=active", "jobId cannot be read: it is missing"),
        ("event=added jobId=7", "name cannot be read: it is missing"),
        ("event=delayed jobId=7", "delay cannot be read: it is missing"),
        ("event=delayed jobId=7 delay=soon", "delay cannot be read: it is no whole number"),
        ("event=delayed jobId=7 delay=-1", "delay cannot be read: it is no time"),
        ("event=delayed jobId=7 delay=999999999999999999", "delay cannot be read: it is no time"),
        ("event=completed jobId=7 returnvalue={", "returnvalue cannot be read: it is not JSON"),
        ("event=progress jobId=7 data=NaN", "data cannot be read: it is not JSON"),
        ("event=cleaned count=", "count cannot be read: it is no whole number"),
        ("event=retries-exhausted jobId=7 attemptsMade=x", "attemptsMade cannot be read"),
    ],
)
def test_an_entry_that_lacks_what_its_event_needs_is_told(fields: str, problem: str) -> None:
    with pytest.raises(UndecodableError) as error:
        read_event(ID, _fields(fields))

    assert str(error.value).startswith(problem)


def test_text_that_is_no_utf_8_is_read_as_well_as_it_can_be() -> None:
    fields = {b"event": b"failed", b"jobId": b"\xff", b"failedReason": b"no \xff"}

    event = read_event(ID, fields)

    assert event == happened.FailedEvent(id=ID, job_id="�", reason="no �")


def test_the_time_of_an_event_is_in_its_id() -> None:
    assert happened.DrainedEvent(id=ID).at == datetime(2023, 11, 14, 22, 13, 20, 123_000, UTC)
    assert happened.DrainedEvent(id=f"{2**64 - 1}-1").at.year == 9999


@pytest.mark.parametrize(
    ("after", "position"),
    [("5", "5-0"), ("5-7", "5-7"), (BEGINNING, "0-0"), (f"{2**64 - 1}-0", f"{2**64 - 1}-0")],
)
def test_a_place_is_an_id(after: str, position: str) -> None:
    assert check_position(after) == position


@pytest.mark.parametrize("after", ["", "$", "-", "5-", "5 ", "5-x", f"{2**64}-0", None, 5, b"5-0"])
def test_whatever_else_is_no_place(after: object) -> None:
    with pytest.raises(BadInputError, match="is not the id of an event"):
        check_position(after)


@pytest.mark.parametrize(
    ("after", "edges", "until"),
    [
        ("5-1", ("5-1", "9-0"), None),
        ("5-1", ("4-0", "9-0"), None),
        ("5-1", ("5-2", "9-0"), "5-2"),
        ("5-1", ("10-0", "11-0"), "10-0"),
        (BEGINNING, ("5-0", "9-0"), None),
        ("5-1", None, None),
    ],
)
def test_events_are_missed_when_the_place_is_before_the_stream(
    after: str, edges: tuple[str, str] | None, until: str | None
) -> None:
    gap = missed(after, edges, is_empty=False)

    assert gap == (EventsMissed(id=after, until=until) if until else None)


@pytest.mark.parametrize(
    ("edges", "until"),
    [(("1-0", "5-1"), None), (("1-0", "4-9"), "4-9"), (("9-0", "9-0"), None), (None, None)],
)
def test_events_are_missed_when_the_place_is_behind_the_stream(
    edges: tuple[str, str] | None, until: str | None
) -> None:
    gap = missed("5-1", edges, is_empty=True)

    assert gap == (EventsMissed(id="5-1", until=until) if until else None)


def _fields(text: str) -> dict[bytes, bytes]:
    pairs = [pair.partition("=") for pair in text.split()]
    return {name.encode(): value.encode() for name, _, value in pairs}


def _leaves(root: type[QueueEvent]) -> list[type[QueueEvent]]:
    children = root.__subclasses__()
    return [leaf for child in children for leaf in _leaves(child)] if children else [root]
