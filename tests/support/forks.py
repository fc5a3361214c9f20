"""What holds in a fork of this process."""

import ctypes
import os
import signal
from collections.abc import Callable
from typing import Final

_LONGEST_S: Final = 30


def silent_fork() -> int:
    """A fork that Python is not told of, as servers in C make them."""
    child: int = ctypes.PyDLL(None).fork()
    return child


def in_fork(is_right: Callable[[], bool], fork: Callable[[], int] = os.fork) -> bool:
    """Whether it is, there; a fork that hangs is killed."""
    child = fork()
    if not child:
        code = 1
        try:
            signal.alarm(_LONGEST_S)
            code = 0 if is_right() else 2
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == 0
