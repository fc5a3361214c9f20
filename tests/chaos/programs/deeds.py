"""What the jobs of a scenario ask their handlers to do."""

import asyncio
import os
import signal
import time
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

Deed: TypeAlias = Mapping[str, Any]
"""The data of a job: `do` names the deed, `for` its length in seconds, `how` its kind."""

ERRORS: Final[Mapping[str, type[BaseException]]] = {
    error.__name__: error
    for error in (
        asyncio.CancelledError,
        KeyboardInterrupt,
        SystemExit,
        GeneratorExit,
        RecursionError,
        MemoryError,
        ValueError,
    )
}


async def do(deed: Deed) -> object:
    """On the worker's loop."""
    match deed["do"]:
        case "sleep":
            await asyncio.sleep(deed["for"])
        case "swallow":
            return await _swallow(deed["for"])
        case "nest":
            await asyncio.wait_for(asyncio.sleep(deed["for"]), deed["for"] / 10)
        case _:
            return do_blocking(deed)
    return None


def do_blocking(deed: Deed) -> object:
    """In a thread, or on a loop that stands still meanwhile."""
    match deed["do"]:
        case "sleep" | "block":
            time.sleep(deed["for"])
        case "spin":
            _spin(deed["for"])
        case "die":
            _die(deed["how"])
        case "raise":
            _raise(deed["how"])
        case other:
            raise LookupError(other)
    return None


async def _swallow(for_s: float) -> str:
    """Be cancelled, and finish all the same."""
    try:
        await asyncio.sleep(for_s)
    except asyncio.CancelledError:
        return "went on"
    return "was left alone"


def _spin(for_s: float) -> None:
    until = time.perf_counter() + for_s
    while time.perf_counter() < until:
        pass


def _die(how: str) -> None:
    if how == "exit":
        os._exit(3)
    os.kill(os.getpid(), {"segv": signal.SIGSEGV, "kill": signal.SIGKILL}[how])


def _raise(how: str) -> None:
    if how == "BaseExceptionGroup":
        raise BaseExceptionGroup("several", [KeyboardInterrupt(), ValueError("one")])
    raise ERRORS[how](how)
