"""The tables of options are those of the code: names, defaults and limits."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from inspect import signature
from typing import Any, Final

import pytest
from tests.docs.markdown import ROOT, Page, rows

from toril import Backoff, Deduplication, JobOptions, Keep, Queue, WorkerOptions
from toril.bullmq.job_options import DEFAULTS, new_job
from toril.bullmq.queue_options import QueueOptions
from toril.bullmq.worker.options import engine_options, source_options
from toril.core.errors import BadInputError

PAGE: Final = Page(ROOT / "docs/reference/options.md")
SERVER: Final = "redis://127.0.0.1:1"

_SECONDS: Final = {"ms": 0.001, "s": 1.0, "h": 3600.0, "d": 86_400.0}
_AMOUNT: Final = re.compile(r"(\d+) (ms|s|h|d)")


def table(heading: str) -> dict[str, list[str]]:
    """The rows of a section, by the name of the option."""
    return {cells[0].strip("`"): cells for cells in rows(PAGE.section(heading))}


def amount(text: str) -> float:
    """A number, or the seconds of a duration."""
    if found := _AMOUNT.fullmatch(text):
        return int(found[1]) * _SECONDS[found[2]]
    return int(text.replace(",", ""))


def add_with(option: str, value: object) -> None:
    companions = {"idempotency_key": "k"} if option == "idempotency_ttl" else {}
    new_job("welcome", {}, {**companions, option: value}, big_integers=False)


def deduplicate_with(part: str, value: object) -> None:
    options: Any = {"id": "d", part: value}
    Deduplication(**options)


def work_with(option: str, value: object) -> None:
    options: Any = {option: value}
    engine_options(options)
    source_options(options, "worker")


def open_with(option: str, value: object) -> None:
    options: Any = {option: value}
    Queue("mail", SERVER, **options).close()


SECTIONS: Final[Mapping[str, Callable[[str, object], None]]] = {
    "Options of a job": add_with,
    "Parts of a deduplication": deduplicate_with,
    "Options of a worker": work_with,
    "Options of a queue": open_with,
}


def bounds() -> Iterator[tuple[str, str, str]]:
    """Section, option and limits of every option that has both ends."""
    for section in SECTIONS:
        for option, cells in table(section).items():
            if " … " in cells[3]:
                yield section, option, cells[3]


@pytest.mark.parametrize(
    ("section", "names"),
    [
        ("Options of a job", set(JobOptions.__annotations__)),
        ("Parts of a deduplication", {part.name for part in fields(Deduplication)}),
        ("Options of a worker", set(WorkerOptions.__annotations__)),
        (
            "Options of a queue",
            {*QueueOptions.__annotations__, *signature(Queue).parameters}
            - {"name", "target", "options"},
        ),
    ],
)
def test_every_option_has_a_row(section: str, names: set[str]) -> None:
    assert set(table(section)) == names


@pytest.mark.parametrize(("section", "option", "limits"), list(bounds()))
def test_limits_are_where_the_page_has_them(section: str, option: str, limits: str) -> None:
    attempt = SECTIONS[section]
    least, most = limits.split(" … ")
    if most.endswith(" characters"):
        attempt(option, "x" * int(most.split()[0]))
        with pytest.raises(BadInputError):
            attempt(option, "x" * (int(most.split()[0]) + 1))
        return

    # The smallest step a limit is given in: a second where there are units, else one.
    for value in (amount(least), amount(most)):
        attempt(option, value)
    for value in (amount(least) - (0.001 if "ms" in least else 1), amount(most) + 1):
        with pytest.raises(BadInputError, match=option):
            attempt(option, value)


def test_defaults_of_a_job_are_as_the_page_says() -> None:
    options = table("Options of a job")

    assert DEFAULTS["attempts"] == 3
    assert DEFAULTS["backoff"] == Backoff.exponential(1)
    assert options["attempts"][2] == "3"
    assert options["backoff"][2] == "exponential from 1 s"


def test_defaults_of_a_worker_are_as_the_page_says() -> None:
    defaults = {option: cells[2] for option, cells in table("Options of a worker").items()}
    engine, source = engine_options({}), source_options({}, "worker")

    assert amount(defaults["concurrency"]) == engine.concurrency
    assert amount(defaults["lock"]) * 1000 == engine.lease_ms == source.lock_ms
    assert amount(defaults["stalled_interval"]) * 1000 == source.stalled_interval_ms
    assert amount(defaults["max_stalled"]) == source.max_stalled
    assert amount(defaults["drain_timeout"]) * 1000 == engine.drain_ms
    assert amount(defaults["max_backoff"]) * 1000 == source.policy.backoff_cap_ms
    assert engine.shutdown_ms - engine.drain_ms == 5_000


def test_an_age_is_rounded_up_to_seconds() -> None:
    assert Keep(age=0.1).rule("remove_on_fail").age_s == 1
