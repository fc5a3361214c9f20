"""A stored job is read whatever others have written; only its data and options must be JSON."""

import pytest

from toril.bullmq.job_view import JobView
from toril.bullmq.wire.job import JobRecord, read_job, unreadable_job
from toril.core.errors import UndecodableError

PLAIN = {b"name": b"n", b"data": b'{"a":1}', b"opts": b'{"attempts":2}', b"timestamp": b"5"}


def read(**fields: bytes) -> JobRecord:
    return read_job("7", PLAIN | {name.encode(): value for name, value in fields.items()})


def test_every_field_has_its_place() -> None:
    job = read(
        delay=b"10",
        priority=b"3",
        atm=b"1",
        ats=b"2",
        stc=b"4",
        processedOn=b"6",
        finishedOn=b"8",
        pb=b"worker",
        progress=b"50",
        returnvalue=b'{"ok":true}',
        failedReason=b"no",
        stacktrace=b'["one","two"]',
        defa=b"stalled",
    )

    assert (job.id, job.name, job.data, job.timestamp) == ("7", "n", {"a": 1}, 5)
    assert (job.delay_ms, job.priority) == (10, 3)
    assert (job.attempts_made, job.attempts_started, job.stalled_count) == (1, 2, 4)
    assert (job.processed_on, job.finished_on, job.processed_by) == (6, 8, "worker")
    assert (job.progress, job.return_value, job.failed_reason) == (50, {"ok": True}, "no")
    assert job.stack_trace == ("one", "two")
    assert job.deferred_failure == "stalled"
    assert job.options.attempts == 2


def test_a_job_with_a_name_alone_is_a_job() -> None:
    job = read_job("7", {b"name": b"n"})

    assert (job.data, job.options.attempts, job.timestamp) == ({}, 0, 0)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("data", b""),
        ("data", b"{"),
        ("data", b"NaN"),
        ("data", b"\xff"),
        ("opts", b"[]"),
        ("opts", b"7"),
        ("opts", b"null"),
        ("opts", b"{"),
        ("opts", b"[" * 100_000),
    ],
)
def test_spoilt_data_and_options_are_named(field: str, value: bytes) -> None:
    with pytest.raises(UndecodableError) as refusal:
        read(**{field: value})

    assert refusal.value.field == field


def test_a_hash_without_a_name_is_no_job() -> None:
    with pytest.raises(UndecodableError, match=r"^name cannot be read: it is missing"):
        read_job("7", {b"data": b"1"})


@pytest.mark.parametrize(
    ("field", "value", "attribute", "expected"),
    [
        ("timestamp", b"soon", "timestamp", 0),
        ("timestamp", b"-5", "timestamp", 0),
        ("timestamp", b"9" * 30, "timestamp", 0),
        ("timestamp", b"9" * 5_000, "timestamp", 0),
        ("processedOn", b"9" * 30, "processed_on", None),
        ("finishedOn", b"1.5", "finished_on", None),
        ("delay", b"1.5", "delay_ms", 0),
        ("priority", b"", "priority", 0),
        ("atm", b"many", "attempts_made", 0),
        ("ats", b"nan", "attempts_started", 0),
        ("stc", b"\xff", "stalled_count", 0),
        ("progress", b"{", "progress", "{"),
        ("progress", b"\xff", "progress", "�"),
        ("returnvalue", b"not json", "return_value", "not json"),
        ("failedReason", b"\xff", "failed_reason", "�"),
        ("stacktrace", b"{}", "stack_trace", ()),
        ("stacktrace", b"[", "stack_trace", ()),
        ("stacktrace", b"[1,null]", "stack_trace", ("1", "None")),
        ("pb", b"\xff", "processed_by", "�"),
    ],
)
def test_nonsense_in_another_field_stops_nobody(
    field: str, value: bytes, attribute: str, expected: object
) -> None:
    assert getattr(read(**{field: value}), attribute) == expected


@pytest.mark.parametrize("timestamp", [b"0", b"-1", b"253402300799999", b"253402300800000"])
def test_a_job_always_says_when_it_was_created(timestamp: bytes) -> None:
    assert JobView(read(timestamp=timestamp)).created_at.year in {1970, 9999}


def test_data_that_node_wrote_with_a_lone_surrogate_can_be_read() -> None:
    assert read(data=b'"\\ud83d"').data == "\ud83d"


def test_a_job_that_cannot_be_read_keeps_what_can_be_said_of_it() -> None:
    job = unreadable_job("7", {b"name": b"\xff", b"data": b"{", b"atm": b"2", b"opts": b"{"})

    assert (job.id, job.name, job.data, job.attempts_made) == ("7", "�", None, 2)
