"""A cache as a subject of the benchmarks, with memory in front of Redis (`local`) or without."""

import asyncio
import json
import sys
import time
from collections.abc import Mapping
from typing import Any, Final

from toril.telemetry.emitter import Emitter
from toril.telemetry.events import Event
from toril.telemetry.toolkit_cache import CacheHit
from toril.toolkit import AsyncCache, Cache, LocalLevel

NAME: Final = "bench"
KEY: Final = "user:7"
VALUE: Final = {"id": 7, "name": "Ada", "roles": ["reader", "writer"]}


class Hits:
    """Where the last value came from."""

    def __init__(self) -> None:
        self.was_local = False
        self.emitter = Emitter(self.hear)

    def hear(self, event: Event) -> None:
        if isinstance(event, CacheHit):
            self.was_local = event.is_local


def blocking(url: str, local: LocalLevel | None, warm: int, count: int) -> float:
    hits = Hits()
    with Cache[object](NAME, url, ttl=3_600, local=local, emitter=hits.emitter) as cache:
        for _ in range(warm):
            cache.get_or_load(KEY, lambda: VALUE)
        while local and not hits.was_local:
            cache.get(KEY)
        began = time.perf_counter()
        for _ in range(count):
            cache.get_or_load(KEY, lambda: VALUE)
        took = time.perf_counter() - began
    assert hits.was_local == bool(local)
    return took


async def on_a_loop(url: str, local: LocalLevel | None, warm: int, count: int) -> float:
    async def load() -> object:
        return VALUE

    hits = Hits()
    options: Mapping[str, Any] = {"ttl": 3_600, "local": local, "emitter": hits.emitter}
    async with AsyncCache[object](NAME, url, **options) as cache:
        for _ in range(warm):
            await cache.get_or_load(KEY, load)
        while local and not hits.was_local:
            await cache.get(KEY)
        began = time.perf_counter()
        for _ in range(count):
            await cache.get_or_load(KEY, load)
        took = time.perf_counter() - began
    assert hits.was_local == bool(local)
    return took


def measure(local: LocalLevel | None, request: Mapping[str, Any]) -> dict[str, float]:
    """Read `warm` times, then measure `count` reads more."""
    call = (f"redis://127.0.0.1:{request['port']}", local, request["warm"], request["count"])
    if request["verb"] == "blocking":
        return {"seconds": blocking(*call)}
    return {"seconds": asyncio.run(on_a_loop(*call))}


def serve(local: LocalLevel | None) -> None:
    """Answer requests until there are no more."""
    for line in sys.stdin:
        try:
            answer: dict[str, object] = {"value": measure(local, json.loads(line))}
        except Exception as error:  # noqa: BLE001 - whoever asked is told
            answer = {"error": repr(error)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve(LocalLevel() if sys.argv[1] == "local" else None)
