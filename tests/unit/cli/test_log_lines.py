"""A log line of the commands is one line: the message, then the fields."""

import logging

import pytest

from toril.cli.log_lines import LineFormatter


def line(message: str, **fields: object) -> str:
    record = logging.makeLogRecord({"msg": message, "levelname": "INFO"} | fields)
    return LineFormatter().format(record).split(" ", 1)[1]


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({}, ""),
        ({"queue": "mail", "job_id": "7"}, " queue=mail job_id=7"),
        ({"event": "JobFailed", "reason": "no such address"}, " reason='no such address'"),
        ({"reason": "a\nforged line"}, " reason='a\\nforged line'"),
        ({"reason": ""}, " reason=''"),
        ({"took_ms": 12.345}, " took_ms=12.3"),
    ],
)
def test_fields_follow_the_message_and_odd_ones_are_quoted(
    fields: dict[str, object], shown: str
) -> None:
    assert line("job failed", **fields) == f"INFO job failed{shown}"
