"""`toril worker health` as a container's probe uses it, of workers that are well and of others."""

import os
import signal
import socket
from pathlib import Path

import pytest
from tests.support.commands import toril
from tests.support.servers import ValkeyServer

from toril import Queue

pytestmark = pytest.mark.timeout(60)

HANDLERS = """
import asyncio, os, time

def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())

async def handle(job):
    say("began", job.id, os.getpid())
    await asyncio.sleep(job.data.get("takes_s", 0))
    while (path := job.data.get("blocks_until")) and not os.path.exists(path):
        time.sleep(0.01)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "app.py").write_text(HANDLERS)
    monkeypatch.setenv("TORIL_HEALTH_SOCKET", str(tmp_path / "health"))
    return tmp_path


def ask(folder: Path, *arguments: str) -> tuple[int, str]:
    """The exit code of the probe, and what it prints."""
    with toril("worker", "health", *arguments, cwd=folder) as probe:
        code = probe.end()
    return code, probe.text


def ask_until(folder: Path, code: int, *arguments: str) -> str:
    """Ask again until the worker is as expected; the timeout of the test ends it otherwise."""
    while (answer := ask(folder, *arguments))[0] != code:
        pass
    return answer[1]


def test_a_worker_that_works_is_healthy(folder: Path, redis_url: str) -> None:
    run = ("worker", "run", "app:handle", "-q", "mail", "-u", redis_url, "-c", "2")
    with toril(*run, "--name", "night", cwd=folder) as worker, Queue("mail", redis_url) as queue:
        queue.add("letter", {"takes_s": 20})
        worker.wait_for("began")

        code, text = ask(folder)
        worker.tell(signal.SIGTERM).wait_for("draining")
        draining = ask(folder)
        worker.tell(signal.SIGTERM).end()
        ended = ask(folder)

    assert (code, text.count("\n")) == (0, 1)
    assert text.startswith("healthy: ")
    assert text.endswith(" of mail: running, 1 of 2 busy\n")
    assert draining[0] == 0
    assert "draining, 1 of 2 busy" in draining[1]
    assert ended == (
        6,
        f"unhealthy: {folder}/health: no worker answers: no such file or directory\n",
    )
    assert not (folder / "health").exists()


def test_a_worker_that_has_lost_its_server_is_unhealthy_until_it_is_back(folder: Path) -> None:
    with ValkeyServer() as server:
        run = ("worker", "run", "app:handle", "-q", "mail", "-u", server.url)
        with toril(*run, cwd=folder) as worker:
            worker.wait_for("worker started")
            assert ask(folder)[0] == 0
            server.kill()

            text = ask_until(folder, 6, "--silence", "10")
            assert ask(folder)[0] == 0, "it is within its patience"
            server.start()
            back = ask_until(folder, 0, "--silence", "10")

    assert "unhealthy: " in text
    assert "the server last answered " in text
    assert "no answer in time" in text
    assert "running, 0 of 1 busy" in back


def test_a_worker_that_stands_still_is_unhealthy_until_it_goes_on(
    folder: Path, redis_url: str
) -> None:
    with toril("worker", "run", "app:handle", "-q", "mail", "-u", redis_url, cwd=folder) as worker:
        worker.wait_for("worker started")
        worker.tell(signal.SIGSTOP)
        stopped = ask(folder, "--timeout", "0.3")
        worker.tell(signal.SIGCONT)

        assert stopped == (6, f"unhealthy: {folder}/health: no answer within 0.3 s\n")
        assert ask(folder)[0] == 0


def test_a_loop_that_is_held_up_does_not_answer(folder: Path, redis_url: str) -> None:
    with (
        toril("worker", "run", "app:handle", "-q", "mail", "-u", redis_url, cwd=folder) as worker,
        Queue("mail", redis_url) as queue,
    ):
        queue.add("letter", {"blocks_until": "go on"})
        worker.wait_for("began")
        assert ask(folder, "--timeout", "0.3")[0] == 6

        (folder / "go on").touch()
        assert ask(folder, "--timeout", "20")[0] == 0


def test_a_worker_that_was_killed_is_unhealthy_until_the_next_one_takes_its_place(
    folder: Path, redis_url: str
) -> None:
    run = ("worker", "run", "app:handle", "-q", "mail", "-u", redis_url)
    with toril(*run, cwd=folder) as killed:
        killed.wait_for("worker started")
        killed.tell(signal.SIGKILL).end()
    assert (folder / "health").exists()

    code, text = ask(folder)
    with toril(*run, cwd=folder) as worker:
        worker.wait_for("worker started")
        assert ask(folder)[0] == 0

    assert (code, text) == (
        6,
        f"unhealthy: {folder}/health: no worker answers: connection refused\n",
    )


def test_of_several_processes_all_must_be_healthy(folder: Path, redis_url: str) -> None:
    run = ("worker", "run", "app:handle", "-q", "mail", "-u", redis_url, "-p", "2")
    with toril(*run, cwd=folder) as fleet, Queue("mail", redis_url) as queue:
        fleet.wait_for("worker started", times=2)
        queue.add_many([("letter", {"takes_s": 20})] * 2)
        children = [int(line.split()[2]) for line in fleet.wait_for("began", times=2)]

        well = ask(folder)
        os.kill(children[0], signal.SIGSTOP)
        ill = ask(folder, "--timeout", "2")
        os.kill(children[0], signal.SIGCONT)
        well_again = ask(folder)
        fleet.tell(signal.SIGTERM).wait_for("draining", times=2)
        fleet.tell(signal.SIGTERM).end()

    assert (well[0], well[1].count("healthy: ")) == (0, 2)
    assert (ill[0], ill[1].count("\nhealthy: ") + ill[1].startswith("healthy: ")) == (6, 1)
    assert "no answer within 2 s" in ill[1]
    assert well_again[0] == 0
    assert list(folder.glob("health*")) == []


def test_a_socket_that_another_worker_answers_at_is_left_to_it(
    folder: Path, redis_url: str
) -> None:
    run = ("worker", "run", "app:handle", "-q", "mail", "-u", redis_url)
    with toril(*run, cwd=folder) as worker:
        worker.wait_for("worker started")
        with toril(*run, cwd=folder) as other:
            code = other.end()

        assert code == 2
        assert f"Error: health_socket: another process answers at {folder}/health" in other.text
        assert ask(folder)[0] == 0


@pytest.mark.parametrize("path", ["nowhere/health", "app.py", "x" * 200])
def test_a_path_that_cannot_be_a_socket_is_refused(folder: Path, redis_url: str, path: str) -> None:
    run = ("worker", "run", "app:handle", "-q", "mail", "-u", redis_url, "--health-socket", path)
    with toril(*run, cwd=folder) as worker:
        code = worker.end()

    assert code == 2
    assert f"Error: health_socket: {path} cannot be a socket" in worker.text
    assert (folder / "app.py").read_text() == HANDLERS


@pytest.mark.parametrize("answer", [b"", b"{}", b"HTTP/1.1 400 Bad Request\r\n\r\n"])
def test_something_else_that_answers_is_no_healthy_worker(folder: Path, answer: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as stranger:
        stranger.bind(str(folder / "health"))
        stranger.listen()
        with toril("worker", "health", cwd=folder) as probe:
            connection, _ = stranger.accept()
            with connection:
                connection.sendall(answer)
            code = probe.end()

    assert code == 6
    assert "what answers is no worker of this version" in probe.text


def test_the_probe_must_know_whom_to_ask(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORIL_HEALTH_SOCKET")

    code, text = ask(folder)

    assert code == 2
    assert "Missing option '--health-socket'" in text
