"""Processes that start in milliseconds and that nobody has to hunt down.

A nursery is a process that has imported everything and forks a child for each request. It alone
knows which of its children still live, so it alone sends them signals: none can reach a stranger
that was given the id of a dead one. When whoever asked for it goes away, it kills them all.

    with Nursery(folder) as nursery:
        child = nursery.start("tests.chaos.programs.worker", {"url": url}, name="worker-1")
        child.signal(signal.SIGKILL)
        child.wait(5)
"""

import gc
import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Self

_START_S: Final = 20.0


class Child:
    """A program in a process of its own. `code` is what it exited with, or minus the signal."""

    def __init__(self, nursery: "Nursery", name: str, log: Path) -> None:
        self.name: Final = name
        self.log: Final = log
        self.pid = 0
        self.code: int | None = None
        self._nursery: Final = nursery
        self._started: Final = threading.Event()
        self._ended: Final = threading.Event()

    @property
    def is_running(self) -> bool:
        return self.code is None

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal; nothing happens when it has ended."""
        self._nursery.ask({"do": "signal", "pid": self.pid, "signal": int(number)})

    def wait(self, timeout_s: float) -> int:
        """Wait for its end; the exit code."""
        if not self._ended.wait(timeout_s):
            message = f"{self.name} (process {self.pid}) goes on after {timeout_s:g} s"
            raise TimeoutError(message)
        assert self.code is not None
        return self.code

    def has_started(self, pid: int) -> None:
        """Told by the nursery, as is its end."""
        self.pid = pid
        self._started.set()

    def has_ended(self, code: int) -> None:
        self.code = code
        self._ended.set()

    def until_started(self) -> None:
        if not self._started.wait(_START_S):
            message = f"{self.name} was not started within {_START_S:g} s"
            raise TimeoutError(message)


class Nursery:
    """Starts programs: modules with a `main(options) -> int`. Output goes to files in `folder`."""

    def __init__(self, folder: Path, modules: Sequence[str]) -> None:
        self._folder: Final = folder
        self._modules: Final = modules
        self._lock: Final = threading.Lock()
        self._starting: Final[dict[str, Child]] = {}
        self._living: Final[dict[int, Child]] = {}

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.nursery", *self._modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=0,
        )
        self._listener = threading.Thread(target=self._listen, name="nursery", daemon=True)
        self._listener.start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait(_START_S)
        self._listener.join(_START_S)
        self._process.stdout.close()

    def start(self, module: str, options: Mapping[str, object], *, name: str) -> Child:
        """Run `main(options)` of this module in a process of its own."""
        log = self._folder / f"{name}.log"
        child = self._starting[name] = Child(self, name, log)
        self.ask(
            {
                "do": "start",
                "module": module,
                "options": dict(options),
                "name": name,
                "log": str(log),
            }
        )
        child.until_started()
        return child

    def ask(self, request: Mapping[str, object]) -> None:
        assert self._process.stdin
        with self._lock:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()

    def _listen(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            news = json.loads(line)
            if news["news"] == "started":
                child = self._living[news["pid"]] = self._starting.pop(news["name"])
                child.has_started(news["pid"])
            else:
                self._living.pop(news["pid"]).has_ended(news["code"])
        for child in self._living.values():
            child.has_ended(-signal.SIGKILL)


class _Parent:
    """The other side: the process that forks. One thread, no event loop, nothing but this."""

    def __init__(self) -> None:
        self._alive: set[int] = set()
        self._wake, wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)

    def serve(self) -> None:
        """Do as asked until the asking ends."""
        asked = b""
        while True:
            ready, _, _ = select.select([0, self._wake], [], [])
            if self._wake in ready:
                os.read(self._wake, 4_096)
                self._reap()
            if 0 in ready:
                data = os.read(0, 65_536)
                if not data:
                    return self._kill_all()
                *lines, asked = (asked + data).split(b"\n")
                for line in lines:
                    self._do(json.loads(line))

    def _do(self, request: Mapping[str, object]) -> None:
        if request["do"] == "start":
            return self._start(request)
        pid = request["pid"]
        if pid in self._alive and isinstance(pid, int):
            os.kill(pid, int(str(request["signal"])))
        return None

    def _start(self, request: Mapping[str, object]) -> None:
        if not (pid := os.fork()):
            _be_child(request)
        self._alive.add(pid)
        _tell({"news": "started", "name": request["name"], "pid": pid})

    def _reap(self) -> None:
        while self._alive:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            self._alive.discard(pid)
            _tell({"news": "ended", "pid": pid, "code": os.waitstatus_to_exitcode(status)})

    def _kill_all(self) -> None:
        for pid in self._alive:
            os.kill(pid, signal.SIGKILL)
        for pid in self._alive:
            os.waitpid(pid, 0)


def _tell(news: Mapping[str, object]) -> None:
    os.write(1, json.dumps(news).encode() + b"\n")


def _be_child(request: Mapping[str, object]) -> None:
    """Run the program and end with its code, whatever happens; never return."""
    code = 70
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        nothing = os.open(os.devnull, os.O_RDONLY)
        log = os.open(str(request["log"]), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        for source, target in ((nothing, 0), (log, 1), (log, 2)):
            os.dup2(source, target)
        os.closerange(3, 256)
        code = sys.modules[str(request["module"])].main(request["options"])
    except BaseException:  # noqa: BLE001 - the program's end, whatever it is
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def main() -> None:
    """Import what was named, and serve."""
    for module in sys.argv[1:]:
        __import__(module)
    gc.freeze()  # children share what is imported
    _Parent().serve()


if __name__ == "__main__":
    main()
