"""The judge of the chaos scenarios finds what is wrong with evidence, and only that."""

import pytest
from tests.chaos.case import Case, percentile
from tests.chaos.evidence import SPENT, Evidence, Stored, read_entries
from tests.support.journal import Entry

_WORKER, _OTHER, _PRODUCER = 10, 11, 20


class Trial:
    """A made-up trial: one job that was added, run and completed, unless a test says more."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.stored = {"1": Stored(("completed",), {"name": "sleep", "atm": "1"})}
        self.told = ["1"]
        self.note("called", "call-1", at=1.0, pid=_PRODUCER)
        self.note("added", "call-1", at=1.1, note="1", pid=_PRODUCER)
        self.note("began", "1", at=1.2, number=1)
        self.note("ended", "1", at=1.3, number=1, note="done")

    def note(
        self,
        what: str,
        subject: str,
        *,
        at: float,
        number: int = 0,
        note: str = "",
        pid: int = _WORKER,
    ) -> None:
        self.entries.append(Entry(what, subject, number, note, pid, at, round(at * 1_000)))

    @property
    def evidence(self) -> Evidence:
        evidence = read_entries(self.entries)
        evidence.stored.update(self.stored)
        for job_id in self.told:
            evidence.told["completed", job_id] += 1
        return evidence

    @property
    def problems(self) -> list[str]:
        case = Case(self.evidence)
        case.judge_all()
        return case.problems


@pytest.fixture
def trial() -> Trial:
    """A trial that holds until a test breaks it."""
    trial = Trial()
    assert trial.problems == []
    return trial


def test_a_job_that_is_nowhere_is_lost(trial: Trial) -> None:
    del trial.stored["1"]

    assert "lost: 1" in trial.problems


def test_a_job_that_is_active_at_rest_is_lost(trial: Trial) -> None:
    trial.stored["1"] = Stored(("active",), {})

    assert "lost: 1" in trial.problems


def test_a_job_that_is_completed_without_a_run_is_lost(trial: Trial) -> None:
    trial.entries = [entry for entry in trial.entries if entry.what not in ("began", "ended")]

    assert "lost: 1" in trial.problems


def test_a_job_that_only_ever_failed_and_is_completed_is_lost(trial: Trial) -> None:
    trial.entries = [entry for entry in trial.entries if entry.what != "ended"]
    trial.note("ended", "1", at=1.3, number=1, note="ValueError")

    assert "lost: 1" in trial.problems


def test_a_job_that_waits_is_not_lost_but_late(trial: Trial) -> None:
    trial.stored["1"] = Stored(("wait",), {})

    assert not any(problem.startswith("lost") for problem in trial.problems)
    assert "1 is still in wait" in trial.problems


def test_a_second_run_without_an_attempt_is_a_repeat_too_many(trial: Trial) -> None:
    trial.note("began", "1", at=2.0, number=2, pid=_OTHER)
    trial.note("ended", "1", at=2.1, number=2, note="done", pid=_OTHER)

    assert trial.problems == ["1 dup, of 0 allowed"]


def test_repeats_within_the_limit_are_no_problem(trial: Trial) -> None:
    trial.note("began", "1", at=2.0, number=2, pid=_OTHER)
    case = Case(trial.evidence)
    case.dup_limit = 1

    case.judge_all()

    assert case.problems == []


def test_a_run_that_a_retry_asked_for_is_no_repeat(trial: Trial) -> None:
    trial.stored["1"] = Stored(("completed",), {"atm": "2"})
    trial.note("began", "1", at=2.0, number=2)
    trial.note("ended", "1", at=2.1, number=2, note="done")

    assert trial.problems == []


def test_the_attempt_of_a_job_that_was_lost_too_often_is_none(trial: Trial) -> None:
    trial.stored["1"] = Stored(("failed",), {"atm": "2", "failedReason": SPENT})
    trial.note("began", "1", at=2.0, number=2, pid=_OTHER)
    case = Case(trial.evidence)

    assert (case.spent, case.dups(), case.lost) == (1, 1, [])


def test_two_ends_of_one_job_are_seen(trial: Trial) -> None:
    trial.told = ["1", "1"]

    assert trial.problems == ["1 ended 2 times"]


def test_an_end_that_nobody_was_told_of_is_seen(trial: Trial) -> None:
    trial.told = []

    assert trial.problems == ["1 ended 0 times"]


def test_a_job_in_two_places_is_seen(trial: Trial) -> None:
    trial.stored["1"] = Stored(("completed", "wait"), {"atm": "1"})

    assert trial.problems == ["1 is in ('completed', 'wait')"]


def test_two_runs_at_once_are_seen_even_when_a_retry_asked_for_the_second(trial: Trial) -> None:
    trial.stored["1"] = Stored(("completed",), {"atm": "2"})
    trial.note("began", "1", at=1.25, number=2, pid=_OTHER)
    trial.note("ended", "1", at=1.4, number=2, note="done", pid=_OTHER)

    assert trial.problems == ["1 runs of a job at once, of 0 allowed"]


def test_two_runs_with_one_number_are_seen(trial: Trial) -> None:
    trial.stored["1"] = Stored(("completed",), {"atm": "2"})
    trial.note("began", "1", at=2.0, number=1, pid=_OTHER)

    assert trial.problems == ["1: its starts are [1, 1]"]


def test_a_run_with_an_older_number_than_the_one_before_is_seen(trial: Trial) -> None:
    trial.stored["1"] = Stored(("completed",), {"atm": "2"})
    trial.note("began", "1", at=2.0, number=0, pid=_OTHER)

    assert trial.problems == ["1: its starts are [1, 0]"]


def test_an_unhandled_error_is_seen(trial: Trial) -> None:
    trial.note("unhandled", "loop", at=2.0, note="Task exception was never retrieved")

    assert trial.problems == ["unhandled: Task exception was never retrieved"]


def test_a_stall_is_seen_where_there_should_be_none(trial: Trial) -> None:
    trial.stored["1"] = Stored(("completed",), {"atm": "1", "stc": "1"})
    case = Case(trial.evidence)

    case.no_stalls()

    assert case.problems == ["counted as stalled: 1"]


def test_a_job_that_nobody_asked_for_is_seen(trial: Trial) -> None:
    trial.stored["2"] = Stored(("completed",), {"atm": "1"})
    case = Case(trial.evidence)

    case.adds_were_exact()

    assert case.problems == ["1 jobs nobody knows of: 2"]


def test_a_job_of_a_call_without_an_answer_is_no_stranger(trial: Trial) -> None:
    trial.stored["2"] = Stored(("completed",), {"atm": "1"})
    trial.note("called", "call-2", at=2.0, pid=_PRODUCER)
    trial.note("unknown", "call-2", at=7.0, pid=_PRODUCER)
    case = Case(trial.evidence)

    case.adds_were_exact()

    assert case.problems == []


def test_two_calls_that_were_told_of_one_job_are_seen(trial: Trial) -> None:
    trial.note("called", "call-2", at=2.0, pid=_PRODUCER)
    trial.note("added", "call-2", at=2.1, note="1", pid=_PRODUCER)
    case = Case(trial.evidence)

    case.adds_were_exact()

    assert case.problems == ["two calls were told of the same job"]


@pytest.mark.parametrize("verdict", ["refused", "unknown"])
def test_a_caller_without_success_is_seen(trial: Trial, verdict: str) -> None:
    trial.note("called", "call-2", at=2.0, pid=_PRODUCER)
    trial.note(verdict, "call-2", at=2.1, pid=_PRODUCER)
    case = Case(trial.evidence)

    case.calls_were_answered()

    assert case.problems == [f"calls without success: call-2 {verdict}"]


def test_a_recovery_that_takes_too_long_is_seen(trial: Trial) -> None:
    case = Case(trial.evidence)

    case.recovered_within(1.0, [0.5, 1.5], "starting")

    assert case.problems == ["starting took 1.50 s, 1 allowed"]
    assert case.recoveries == [0.5, 1.5]


def test_a_victim_recovers_with_its_next_run(trial: Trial) -> None:
    trial.note("began", "2", at=3.0, number=1)
    trial.note("fault", "kill", at=3.5, number=_WORKER, pid=1)
    trial.note("began", "2", at=6.0, number=2, pid=_OTHER)

    assert Case(trial.evidence).victims() == [2.5]


def test_work_that_never_resumes_is_seen(trial: Trial) -> None:
    trial.note("healed", "", at=9.0, pid=1)
    case = Case(trial.evidence)

    case.recovered_within(3.0, case.resumptions(), "resuming")

    assert case.problems == ["resuming took inf s, 3 allowed"]


def test_a_late_outcome_that_nobody_refused_is_seen(trial: Trial) -> None:
    trial.note("began", "1", at=1.25, number=2, pid=_OTHER)
    case = Case(trial.evidence)

    case.outcomes_were_refused(case.late_runs())

    assert case.problems == ["late, and not refused: 1 done"]


@pytest.mark.parametrize("event", ["JobSuperseded", "LeaseLost"])
def test_a_late_outcome_that_was_refused_is_no_problem(trial: Trial, event: str) -> None:
    trial.note("began", "1", at=1.25, number=2, pid=_OTHER)
    trial.note(event, "1", at=1.4)
    case = Case(trial.evidence)

    case.outcomes_were_refused(case.late_runs())

    assert case.problems == []


def test_what_struck_requests_counts_as_faults(trial: Trial) -> None:
    trial.note("fault", "kill", at=3.0, pid=1)

    assert Case(trial.evidence, struck=2).faults == 3


def test_percentiles_of_few_values_are_the_values() -> None:
    assert percentile([], 99) == 0.0
    assert percentile([3.0], 50) == 3.0
    assert percentile([1.0, 2.0, 3.0], 50) == 2.0


@pytest.mark.parametrize(
    ("workers", "problems"),
    [
        (["node-1", "vm-1"], []),
        (["node-1"], ["no worker of toril ran a job"]),
        (["vm-1"], ["no worker of Node ran a job"]),
    ],
)
def test_a_fleet_of_which_one_side_is_idle_is_seen(
    trial: Trial, workers: list[str], problems: list[str]
) -> None:
    trial.entries = [entry for entry in trial.entries if entry.what not in ("began", "ended")]
    for number, name in enumerate(workers):
        trial.note("ready", name, at=0.5, pid=number)
        trial.note("began", str(number), at=2.0 + number, pid=number)
    case = Case(trial.evidence)

    case.both_sides_worked()

    assert case.problems == problems
