"""How a worker process tells whoever asks on this machine how it is: over a Unix socket.

Whoever connects gets one JSON object and the end. A process that was killed refuses, one that
stands still says nothing, so nothing old is ever taken for an answer.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import msgspec

from toril.core.errors import BadInputError
from toril.runtime.health import Health


class NoAnswerError(Exception):
    """Nobody says at this socket how it is; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthReport:
    """What a process says: how its worker is, or whom to ask instead."""

    queue: str
    pid: int = field(default_factory=os.getpid)
    worker: str = ""
    health: Health | None = None
    children: list[str] = field(default_factory=list)
    """The sockets of the processes that a parent has started."""


@asynccontextmanager
async def answering(path: Path | None, report: Callable[[], HealthReport]) -> AsyncIterator[None]:
    """Answer at this path, if there is one, while the block runs.

    Raises:
        BadInputError: somebody else answers there, or it cannot be a socket.
    """
    if path is None:
        yield
        return
    server = await _serve(path, report)
    try:
        yield
    finally:
        _withdraw(path, server)


async def ask(path: Path, timeout_s: float) -> HealthReport:
    """What the process at this path says.

    Raises:
        NoAnswerError: nobody answers, or not in time.
    """
    try:
        async with asyncio.timeout(timeout_s):
            reader, writer = await asyncio.open_unix_connection(path)
            try:
                answer = await reader.read()
            finally:
                writer.transport.abort()
        return msgspec.json.decode(answer, type=HealthReport)
    except TimeoutError as silence:
        raise NoAnswerError(f"no answer within {timeout_s:g} s") from silence
    except OSError as error:
        raise NoAnswerError(
            f"no worker answers: {(error.strerror or str(error)).lower()}"
        ) from error
    except msgspec.MsgspecError as error:
        raise NoAnswerError("what answers is no worker of this version") from error


async def _serve(path: Path, report: Callable[[], HealthReport]) -> asyncio.Server:
    if await _is_taken(path):
        raise BadInputError("health_socket", f"another process answers at {path}")
    loop = asyncio.get_running_loop()
    try:
        # What a process that was killed has left behind is replaced.
        return await loop.create_unix_server(lambda: _Answer(report), path)
    except OSError as error:
        raise BadInputError("health_socket", f"{path} cannot be a socket: {error}") from error


def _withdraw(path: Path, server: asyncio.Server) -> None:
    # In this order: as soon as nobody answers, the path may be somebody else's.
    path.unlink(missing_ok=True)
    server.close()


async def _is_taken(path: Path) -> bool:
    try:
        _, writer = await asyncio.open_unix_connection(path)
    except OSError:
        return False
    writer.transport.abort()
    return True


class _Answer(asyncio.Protocol):
    """One connection: says what there is to say, and ends."""

    def __init__(self, report: Callable[[], HealthReport]) -> None:
        self._report = report

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Not asyncio's class under uvloop, though it does the same.
        out = cast("asyncio.Transport", transport)
        out.write(msgspec.json.encode(self._report()))
        out.close()
