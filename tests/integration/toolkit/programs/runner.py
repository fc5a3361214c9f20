"""A process that runs a key: with many tasks at once, or without an end."""

import asyncio
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toril.toolkit import AsyncOnce


async def run_with_many_tasks(url: str, folder: Path, tasks: int) -> None:
    """Note each run in a file, and what all tasks got in another."""
    once = AsyncOnce("pay", url, ttl=60)

    async def work() -> dict[str, object]:
        (folder / f"run-{os.getpid()}").touch()
        await asyncio.sleep(0.2)  # noqa: TID251 - work
        return {"by": os.getpid()}

    results = await asyncio.gather(*(once.run("order:7", work) for _ in range(tasks)))
    (folder / f"results-{os.getpid()}").write_text(json.dumps(results))
    await once.close()


async def run_without_an_end(url: str, folder: Path, lease: float) -> None:
    """Note in a file that it has begun."""

    async def work() -> None:
        (folder / "begun").touch()
        await asyncio.Event().wait()

    await AsyncOnce("pay", url, ttl=60, lease=lease).run("order:7", work)


def main(options: Mapping[str, Any]) -> int:
    folder = Path(options["folder"])
    if "lease" in options:
        asyncio.run(run_without_an_end(options["url"], folder, options["lease"]))
    else:
        asyncio.run(run_with_many_tasks(options["url"], folder, options["tasks"]))
    return 0
