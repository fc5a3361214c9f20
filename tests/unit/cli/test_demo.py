"""The demo's jobs fail as often as they say, its counts add up, and its displays show them."""

import asyncio
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from toril.cli import demo_jobs
from toril.cli.demo_jobs import ATTEMPTS, errands, handle
from toril.cli.demo_sprint import Pace
from toril.cli.demo_summary import summary
from toril.cli.demo_tally import Tally, Turn
from toril.cli.demo_view import Frame, view_for
from toril.core.errors import BadInputError, PermanentError, TransientError
from toril.telemetry.events import JobClaimed, JobCompleted, JobFailed, JobRetried

FRAME = Frame(
    elapsed_s=2.0,
    jobs=10,
    added=10,
    waiting=1,
    active=2,
    delayed=3,
    completed=4,
    completed_after_retry=1,
    failed=0,
    retries=2,
    per_second=5.0,
)


@pytest.fixture
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    async def at_once(_seconds: float) -> None:
        pass

    monkeypatch.setattr(asyncio, "sleep", at_once)


def tally_of(*turns: JobCompleted | JobRetried | JobFailed | JobClaimed) -> Tally:
    tally = Tally(clock=lambda: 10.0)
    for turn in turns:
        tally(turn)
    return tally


def completed(job_id: str) -> JobCompleted:
    return JobCompleted(queue="demo", worker="w", job_id=job_id, took_ms=12.3)


def retried(job_id: str) -> JobRetried:
    return JobRetried(queue="demo", worker="w", job_id=job_id, reason="busy", delay_ms=400)


def failed(job_id: str) -> JobFailed:
    return JobFailed(queue="demo", worker="w", job_id=job_id, reason="no such customer")


def test_the_mix_of_jobs_is_the_same_each_time() -> None:
    jobs = list(errands(200))

    assert jobs == list(errands(200))
    assert sum(job.fails == ATTEMPTS for job in jobs) == 5
    assert sum(0 < job.fails < ATTEMPTS for job in jobs) == 25
    assert sum(job.is_refused for job in jobs) == 3


@pytest.mark.usefixtures("_no_waiting")
@pytest.mark.parametrize(
    ("data", "attempts_made", "error"),
    [
        ({"fails": 2, "refused": False}, 0, TransientError),
        ({"fails": 2, "refused": False}, 1, TransientError),
        ({"fails": 3, "refused": True}, 0, PermanentError),
        ({"theirs": 1}, 0, BadInputError),
    ],
)
async def test_a_job_fails_as_often_as_it_says(
    data: object, attempts_made: int, error: type[Exception]
) -> None:
    job = SimpleNamespace(name="send-email", data=data, attempts_made=attempts_made)

    with pytest.raises(error):
        await handle(job)


@pytest.mark.usefixtures("_no_waiting")
async def test_a_job_then_succeeds() -> None:
    job = SimpleNamespace(name="send-email", data={"fails": 2, "refused": False}, attempts_made=2)

    assert await handle(job) == {"done": "send-email"}


def test_the_backoff_of_the_demo_keeps_it_short() -> None:
    assert demo_jobs.BACKOFF.delay_ms(2, lambda: 0.999) < 1_000


def test_a_job_counts_once_whatever_it_went_through() -> None:
    tally = tally_of(retried("1"), retried("1"), completed("1"), completed("2"), failed("3"))

    assert (tally.completed, tally.completed_after_retry) == (2, 1)
    assert (tally.failed, tally.retries, tally.finished) == (1, 2, 3)


def test_happenings_are_told_once_and_by_the_name_of_the_job() -> None:
    tally = tally_of()
    tally.note_added("1", "send-email")
    tally(retried("1"))
    tally(JobClaimed(queue="demo", worker="w", job_id="1"))
    tally(completed("1"))

    first, second = tally.since(0)

    assert (first.job, first.turn, first.text) == ("send-email 1", Turn.RETRY, "in 400 ms: busy")
    assert tally.since(first.number) == [second]
    assert tally.since(second.number) == []


def test_the_rate_is_of_the_last_second() -> None:
    now = 0.0
    tally = Tally(clock=lambda: now)
    tally.start()
    for moment in (0.1, 1.0, 1.5, 1.9):
        now = moment
        tally(completed("1"))

    now = 2.0

    assert tally.per_second() == 3.0


def test_the_last_frame_is_the_one_with_every_job_finished() -> None:
    assert not FRAME.is_last
    assert replace(FRAME, completed=7, failed=3).is_last
    assert not replace(FRAME, added=5, completed=7, failed=3).is_last


def test_lines_show_the_counts_each_second_and_every_failed_attempt(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tally = tally_of(completed("1"), retried("2"), failed("3"))
    with view_for(is_terminal=False) as show:
        show(replace(FRAME, news=tally.since(0)))
        show(replace(FRAME, elapsed_s=2.5))
        show(replace(FRAME, elapsed_s=3.0, completed=9, failed=1))

    assert capsys.readouterr().out.splitlines() == [
        " 10.0 s  job 2: retry in 400 ms: busy",
        " 10.0 s  job 3: failed for good: no such customer",
        "  2.0 s  added 10, waiting 1, active 2, delayed 3, completed 4, failed 0; 5 jobs/s",
        "  3.0 s  added 10, waiting 1, active 2, delayed 3, completed 9, failed 1; 5 jobs/s",
    ]


def test_the_picture_shows_every_state_and_the_last_jobs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tally = tally_of(*(completed(str(number)) for number in range(20)), retried("20"))

    with view_for(is_terminal=True) as show:
        show(replace(FRAME, news=tally.since(0)))

    drawn = capsys.readouterr().out
    assert all(state in drawn for state in ("waiting", "active", "delayed", "completed", "failed"))
    assert "job 20" in drawn
    assert "retry in 400 ms: busy" in drawn
    assert max(map(len, drawn.splitlines())) <= 80


def test_without_rich_there_are_lines_and_the_way_to_get_more(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "rich.console", None)
    monkeypatch.delitem(sys.modules, "toril.cli.demo_screen", raising=False)

    with view_for(is_terminal=True) as show:
        show(FRAME)

    output = capsys.readouterr()
    assert "pip install 'toril[rich]'" in output.err
    assert output.out.startswith("  2.0 s  added 10")


def test_the_summary_says_what_became_of_every_job_and_what_is_next() -> None:
    text = summary(
        replace(FRAME, completed=8, completed_after_retry=3, failed=2),
        Pace(jobs=2_000, adding_s=0.1, working_s=0.25),
    )

    assert "10 jobs were added, and every one of them is accounted for" in text
    assert "   5 completed at the first attempt" in text
    assert "   3 failed at first, were retried, and completed" in text
    assert "   2 failed for good" in text
    assert "8,000 jobs per second" in text
    assert "toril worker run --help" in text
    assert max(map(len, text.splitlines())) <= 80
