"""Start a server process that ends when this process does, however this process ends.

A watcher beside the server reads from a pipe that only we hold open: when we close it, exit or
are killed, the watcher reads the end of the file and stops the server. (Linux's parent-death
signal is not used: it fires when the *thread* that started the child ends.) The server gets a
process group of its own, so that Ctrl-C reaches us alone and we decide when it stops.
"""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

# The server takes over the shell's own process id by `exec`. The watcher stays in its process
# group, which keeps the id from being given to somebody else while the watcher may still use it.
_WATCHED: Final = """
scratch=$1; shift; exec 3<&0
(read -r _ <&3; kill -TERM $$; [ -z "$scratch" ] || rm -rf "$scratch") &
exec "$@" 3<&- </dev/null
"""

_KILL_AFTER_S: Final = 10.0


class ChildProcess:
    """A running server, with its output in a file.

    It inherits the descriptors in `keep_open`, which must be ten or more: the shell in between
    uses the others. The folder `scratch` is removed when this process has ended or lets go.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        log: Path,
        keep_open: Sequence[int] = (),
        scratch: Path | None = None,
    ) -> None:
        with log.open("ab") as output:
            self._process = subprocess.Popen(  # noqa: S603 - the command is ours
                ["/bin/sh", "-c", _WATCHED, "toril", str(scratch or ""), *command],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=log.parent,
                process_group=0,
                pass_fds=tuple(keep_open),
            )
        self.log = log
        self.pid = self._process.pid
        self._owner = os.getpid()

    @property
    def is_running(self) -> bool:
        """Whether the process has not ended yet."""
        return self._process.poll() is None

    def log_tail(self, lines: int = 5) -> str:
        """The last lines of its output, for an error message."""
        text = self.log.read_text("utf-8", "replace") if self.log.exists() else ""
        return "\n".join(text.splitlines()[-lines:])

    def kill(self) -> None:
        """End it at once, without letting it save anything."""
        self._process.kill()
        self.stop()

    def stop(self) -> None:
        """Let it save and end; in a fork of the process that started it, only let go of it."""
        assert self._process.stdin is not None  # noqa: S101 - opened above
        if os.getpid() == self._owner:
            self._process.terminate()
        self._process.stdin.close()
        if os.getpid() == self._owner:
            self._wait()

    def _wait(self) -> None:
        try:
            self._process.wait(_KILL_AFTER_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
