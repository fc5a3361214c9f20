"""Which process this is, known without a system call: every call to a server asks several times."""

import os

_process_id = os.getpid()


def process_id() -> int:
    """As `os.getpid` has it; a fork has its own."""
    return _process_id


def _renew() -> None:
    global _process_id  # noqa: PLW0603 - of the process, as there is one
    _process_id = os.getpid()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
