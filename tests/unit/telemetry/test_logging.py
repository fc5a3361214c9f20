"""Every event has a log line: a constant message, a level, and its fields beside it."""

import logging

import pytest

from toril.telemetry import events, toolkit_limits
from toril.telemetry.emitter import Emitter
from toril.telemetry.logging import log_events

EVERY_EVENT = [
    kind
    for module in (events, toolkit_limits)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, events.Event) and not kind.__subclasses__()
]
_COUNTS = {events.ExchangeFailed: {"in_a_row": 1}}
"""Fields whose value decides how the event is told."""
LOGGERS = {f"toril.{name}" for name in ("connection", "queue", "worker", "job", "toolkit")}


def sample(kind: type[events.Event]) -> events.Event:
    return kind(**(dict.fromkeys(kind.__struct_fields__, "x") | _COUNTS.get(kind, {})))


@pytest.mark.parametrize("kind", EVERY_EVENT)
def test_every_event_is_told_in_words_of_its_own(
    kind: type[events.Event], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "toril")

    log_events(sample(kind))

    [record] = caplog.records
    assert record.name in LOGGERS
    assert record.event == kind.__name__
    assert record.message != "event"


def test_the_fields_of_the_event_are_fields_of_the_record(
    caplog: pytest.LogCaptureFixture,
) -> None:
    Emitter(log_events).emit(
        events.JobFailed(queue="mail", worker="w", job_id="7", reason="no such address")
    )

    [record] = caplog.records
    assert (record.levelname, record.message) == ("ERROR", "job failed")
    assert (record.queue, record.job_id, record.reason) == ("mail", "7", "no such address")


def test_a_long_outage_is_told_less_and_less_often(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "toril")

    for number in range(1, 21):
        log_events(events.ExchangeFailed(queue="mail", worker="w", problem="gone", in_a_row=number))

    loud = [record.in_a_row for record in caplog.records if record.levelname == "WARNING"]
    assert len(caplog.records) == 20
    assert loud == [1, 2, 4, 8, 16]


def test_an_event_from_elsewhere_is_told_too(caplog: pytest.LogCaptureFixture) -> None:
    class Rained(events.Event):
        pass

    caplog.set_level(logging.INFO, "toril")

    log_events(Rained())

    [record] = caplog.records
    assert (record.name, record.message, record.event) == ("toril", "event", "Rained")


def test_nothing_is_said_below_the_level_that_is_heard(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "toril")

    log_events(events.JobClaimed(queue="mail", worker="w", job_id="7"))

    assert caplog.records == []


def test_logging_is_left_as_the_application_set_it_up() -> None:
    logger = logging.getLogger("toril")

    assert (logger.handlers, logger.level, logger.propagate) == ([], logging.NOTSET, True)
