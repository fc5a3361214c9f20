"""`toril demo` without a terminal: lines, a summary that adds up, and a good end."""

import re
from pathlib import Path

import pytest
import redis
from tests.support.commands import toril

pytestmark = pytest.mark.timeout(60)

SMALL = ("demo", "--jobs", "40", "--concurrency", "8")


def numbers_of(text: str) -> dict[str, int]:
    told = re.findall(
        r"^ +(\d+) (completed at|failed at first|failed for good)", text, re.MULTILINE
    )
    return {what: int(number) for number, what in told}


def test_jobs_flow_fail_are_retried_and_end_on_an_embedded_server(tmp_path: Path) -> None:
    with toril(*SMALL, cwd=tmp_path) as demo:
        code = demo.end()

    assert code == 0
    assert numbers_of(demo.text) == {"completed at": 34, "failed at first": 5, "failed for good": 1}
    assert "40 jobs were added, and every one of them is accounted for" in demo.text
    assert "retry in" in demo.text
    assert re.search(r"jobs that do nothing.*\n +added in .*: [\d,]+ jobs per second", demo.text)
    assert "\x1b" not in demo.text


def test_on_somebody_elses_server_it_stays_in_a_queue_of_its_own(
    tmp_path: Path, redis_url: str, redis_client: redis.Redis
) -> None:
    redis_client.set("theirs", 1)

    with toril(*SMALL, "--url", redis_url, cwd=tmp_path) as demo:
        code = demo.end()

    assert code == 0
    others = [key for key in redis_client.scan_iter() if b"demo-" not in key]
    assert others == [b"theirs"]


def test_a_server_that_is_not_there_ends_it_in_one_line(tmp_path: Path) -> None:
    with toril("demo", "--url", "redis://127.0.0.1:1", cwd=tmp_path) as demo:
        code = demo.end()

    assert code == 3
    assert demo.text.splitlines()[-1] == "Error: 127.0.0.1:1: connection refused"
