"""`toril worker run` as people and process managers use it: a process, signals, exit codes."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.commands import toril

from toril import Queue

pytestmark = pytest.mark.timeout(60)

HANDLERS = """
import asyncio, os, pathlib

pathlib.Path(f"url-{os.getpid()}").write_text(os.environ.get("TORIL_URL", ""))

def say(*words):
    # In one write: the processes of a fleet share the pipe, and a line must stay one.
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())

async def handle(job):
    say("began", job.id, os.getpid())
    await asyncio.sleep(job.data["takes_s"])
    say("ended", job.id)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "app.py").write_text(HANDLERS)
    return tmp_path


@pytest.fixture
def queue(redis_url: str) -> Iterator[Queue]:
    with Queue("mail", redis_url) as queue:
        yield queue


def test_the_first_signal_lets_running_jobs_finish_and_ends_well(
    folder: Path, redis_url: str, queue: Queue
) -> None:
    job = queue.add("letter", {"takes_s": 0.5})

    with toril("worker", "run", "app:handle", "-q", "mail", "-u", redis_url, cwd=folder) as worker:
        worker.wait_for(f"began {job.id}")
        code = worker.tell(signal.SIGTERM).end()

    assert code == 0
    assert f"ended {job.id}" in worker.text
    assert queue.counts().completed == 1


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143)],
    ids=["interrupt", "terminate"],
)
def test_the_second_signal_gives_jobs_back_at_once(
    folder: Path, redis_url: str, queue: Queue, number: signal.Signals, code: int
) -> None:
    job = queue.add("letter", {"takes_s": 60})

    with toril("worker", "run", "app:handle", "-q", "mail", "-u", redis_url, cwd=folder) as worker:
        worker.wait_for(f"began {job.id}")
        worker.tell(number).wait_for("worker is draining")
        ended = worker.tell(number).end()

    assert ended == code
    assert queue.counts().waiting == 1


def test_processes_share_an_embedded_server_that_the_parent_owns(folder: Path) -> None:
    with toril(
        *("worker", "run", "app:handle", "-q", "mail", "-u", "embedded://", "-p", "2"), cwd=folder
    ) as fleet:
        fleet.wait_for("worker started", times=2)
        [url] = {path.read_text() for path in folder.glob("url-*")} - {""}
        with Queue("mail", url) as queue:
            queue.add_many([("letter", {"takes_s": 1.5})] * 2)
            workers = {line.split()[2] for line in fleet.wait_for("began", times=2)}
            code = fleet.tell(signal.SIGTERM).end()

    assert code == 0
    assert len(workers) == 2
    assert fleet.text.count("ended") == 2
    assert not Path(url.removeprefix("unix://")).exists()


def test_a_process_that_dies_takes_the_others_down_in_good_order(
    folder: Path, redis_url: str, queue: Queue
) -> None:
    command = ("worker", "run", "app:handle", "-q", "mail", "-p", "2")
    with toril(*command, cwd=folder, TORIL_URL=redis_url) as fleet:
        fleet.wait_for("worker started", times=2)
        queue.add_many([("letter", {"takes_s": 1.5})] * 2)
        [one, other] = fleet.wait_for("began", times=2)
        os.kill(int(one.split()[2]), signal.SIGKILL)
        code = fleet.end()

    assert code == 1
    assert "ended by itself with -9; draining the others" in fleet.text
    assert f"ended {other.split()[1]}" in fleet.text


def test_a_process_that_loses_its_parent_drains(folder: Path, redis_url: str) -> None:
    command = ("worker", "run", "app:handle", "-q", "mail", "-p", "1")
    with toril(*command, "--lifeline", cwd=folder, TORIL_URL=redis_url) as orphan:
        code = orphan.end()

    assert code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["app:hndle"], 7, "Error: app has no 'hndle'; did you mean 'handle'?"),
        (["app:handle", "--url", "redis://:canary@127.0.0.1:1"], 3, "connection refused"),
    ],
)
def test_a_mistake_is_told_in_one_line(
    folder: Path, arguments: list[str], code: int, message: str
) -> None:
    with toril("worker", "run", "--queue", "mail", *arguments, cwd=folder) as worker:
        ended = worker.end()

    assert ended == code
    [last] = worker.text.splitlines()[-1:]
    assert message in last
    assert "Traceback" not in worker.text
    assert "canary" not in worker.text
