"""Which process this is, known without a system call: every call to a server asks several times."""

import os
from collections.abc import Callable

_process_id = os.getpid()


def process_id() -> int:
    """As `os.getpid` has it; a fork has its own."""
    return _process_id


def in_every_fork(renew: Callable[[], object]) -> None:
    """Call this first thing in a process that is forked off this one, and in its forks."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=renew)


def _renew() -> None:
    global _process_id  # noqa: PLW0603 - of the process, as there is one
    _process_id = os.getpid()


in_every_fork(_renew)
