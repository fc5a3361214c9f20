"""Which process this is, and what a fork of it begins anew.

Python tells of the forks it makes itself. A server that forks in C, as uWSGI does, tells nobody:
the system is asked for the process id wherever a name has to be this process's own.
"""

import os
from collections.abc import Callable
from typing import Final

_RENEWALS: Final[list[Callable[[], object]]] = []

_process_id = os.getpid()


def process_id() -> int:
    """As the system has it now. Whoever finds a fork begins it anew."""
    if os.getpid() != _process_id:
        _begin_anew()
    return _process_id


def known_process_id() -> int:
    """As it was when somebody last asked, for what is looked at again and again within a call."""
    return _process_id


def in_every_fork(renew: Callable[[], object]) -> None:
    """Call this in a process that was forked off this one, and in its forks, before all else."""
    _RENEWALS.append(renew)


def _begin_anew() -> None:
    global _process_id  # noqa: PLW0603 - of the process, as there is one
    for renew in _RENEWALS:
        renew()
    _process_id = os.getpid()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
