"""An outage is told of twice, and its rests grow to two seconds."""

import random

from tests.support.event_log import EventLog

from toril.connection.outage import LONGEST_REST_S, Outage
from toril.telemetry.events import ConnectionLost, ConnectionRestored


def test_nothing_to_rest_for_when_nothing_failed() -> None:
    assert Outage("test", None).rest_s == 0


def test_only_the_first_failure_and_the_first_success_are_news() -> None:
    log = EventLog()
    outage = Outage("test", log.emitter)

    outage.failed("server:1", "refused")
    outage.failed("server:1", "refused")
    outage.ended("server:2")
    outage.ended("server:2")

    assert log.events == [
        ConnectionLost(server="server:1", purpose="test", problem="refused"),
        ConnectionRestored(server="server:2", purpose="test", attempts=2),
    ]


def test_rests_double_from_fifty_milliseconds_with_full_jitter() -> None:
    outage = Outage("test", None)
    longest = []
    for _ in range(8):
        outage.failed("server", "refused")
        longest.append(max(outage.rest_s for _ in range(200)))

    assert longest[0] <= 0.05
    assert longest[1] <= 0.1
    assert longest[-1] <= LONGEST_REST_S
    assert longest == sorted(longest[:6]) + longest[6:]
    assert min(outage.rest_s for _ in range(200)) < 0.2


def test_rests_stay_bounded_however_long_it_lasts() -> None:
    outage = Outage("test", None)
    for _ in range(10_000):
        outage.failed("server", "refused")

    assert outage.rest_s <= LONGEST_REST_S


def test_rests_are_no_matter_of_the_programs_seed() -> None:
    """Forks of one program do not rest in step, and a seeded program draws what it would."""
    rests = []
    for _ in range(2):
        random.seed(7)
        seeded = random.getstate()
        outage = Outage("test", None)
        outage.failed("server", "refused")
        rests.append(outage.rest_s)
        assert random.getstate() == seeded

    assert rests[0] != rests[1]


def test_attempts_that_fail_together_are_one_failure() -> None:
    outage = Outage("test", None)
    known = outage.failures
    for _ in range(100):
        outage.failed("server", "refused", known=known)

    assert outage.failures == 1
    outage.failed("server", "refused", known=1)
    assert outage.failures == 2


def test_a_failure_after_anothers_success_is_the_first_of_a_new_outage() -> None:
    log = EventLog()
    outage = Outage("test", log.emitter)
    outage.failed("server", "refused")
    known = outage.failures
    outage.ended("server")
    log.events.clear()

    outage.failed("server", "gone", known=known)

    assert outage.failures == 1
    assert log.events == [ConnectionLost(server="server", purpose="test", problem="gone")]
