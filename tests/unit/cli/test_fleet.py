"""The children of `worker run --processes` get the parent's options, and no secret in sight."""

from pathlib import Path

import pytest

from toril.cli.fleet import child_command, child_environment
from toril.cli.one_worker import WorkerPlan
from toril.cli.worker import run

PLAN = WorkerPlan(
    queue="mail",
    url="redis://:canary@localhost",
    concurrency=5,
    prefix="app",
    hash_tag=False,
    timeout=0.5,
    drain_timeout=2.5,
    retry_policy="categorized",
    name="night",
    health_socket=Path("/run/toril/health"),
)


def test_a_child_parses_to_the_plan_of_its_parent() -> None:
    words = child_command(PLAN, "app:handle", number=2, log_level="error")

    parsed = run.make_context("run", words[words.index("run") + 1 :]).params

    assert parsed == {
        "handler": "app:handle",
        "queue": "mail",
        "url": None,
        "concurrency": 5,
        "processes": 1,
        "prefix": "app",
        "hash_tag": False,
        "timeout": 0.5,
        "drain_timeout": 2.5,
        "retry_policy": "categorized",
        "name": "night-2",
        "health_socket": Path("/run/toril/health.2"),
        "log_level": "error",
        "lifeline": True,
    }


def test_the_url_travels_where_other_users_cannot_read_it() -> None:
    assert "canary" not in " ".join(child_command(PLAN, "app:handle", number=1, log_level="info"))
    assert child_environment(PLAN)["TORIL_URL"] == PLAN.url


def test_without_a_url_the_environment_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORIL_URL", raising=False)
    monkeypatch.setenv("REDIS_URL", "redis://elsewhere")
    plan = WorkerPlan(
        queue="mail",
        url=None,
        concurrency=1,
        prefix=None,
        hash_tag=None,
        timeout=None,
        drain_timeout=25,
        retry_policy="default",
        name=None,
    )

    environment = child_environment(plan)

    assert "TORIL_URL" not in environment
    assert environment["REDIS_URL"] == "redis://elsewhere"
