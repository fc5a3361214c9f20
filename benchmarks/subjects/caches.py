"""Caches as subjects of the benchmarks: `caches.py toril`, `toril-async`, `dogpile` or `cashews`.

One caller asks for one key after the other: for a value that is there, or for one that is missing
and that of all callers only one would load.
"""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

Request: TypeAlias = Mapping[str, Any]
Call: TypeAlias = Callable[[str], object]
AsyncCall: TypeAlias = Callable[[str], Awaitable[object]]

VALUE: Final = {"id": 7, "name": "Ada", "roles": ["admin", "editor"]}
TTL_S: Final = 600


def toril(url: str) -> Call:
    from toril.toolkit import Cache

    cache = Cache[object]("bench", url, ttl=TTL_S)
    return lambda key: cache.get_or_load(key, lambda: VALUE)


def dogpile(url: str) -> Call:
    from dogpile.cache import make_region

    region = make_region(serializer=lambda it: json.dumps(it).encode(), deserializer=json.loads)
    region.configure(
        "dogpile.cache.redis",
        expiration_time=TTL_S,
        arguments={"url": url, "distributed_lock": True, "thread_local_lock": False},
    )
    return lambda key: region.get_or_create(key, lambda: VALUE)


def toril_async(url: str) -> AsyncCall:
    from toril.toolkit import AsyncCache

    cache = AsyncCache[object]("bench", url, ttl=TTL_S)

    async def load() -> object:
        return VALUE

    return lambda key: cache.get_or_load(key, load)


def cashews(url: str) -> AsyncCall:
    from cashews import Cache

    cache = Cache()
    cache.setup(url, pickle_type="json")

    async def read(key: str) -> object:
        return {**VALUE, "key": key}

    call: AsyncCall = cache(ttl=TTL_S, key="{key}", lock=True)(read)
    return call


def keys(request: Request) -> Sequence[str]:
    """Those to warm up with, and those that are measured: the same one, or always another."""
    if request["verb"] == "hit":
        return ["user:7"] * (request["warm"] + request["count"])
    return [f"user:{number}" for number in range(request["warm"] + request["count"])]


def measure(call: Call, request: Request) -> dict[str, float]:
    asked, began = keys(request), 0.0
    for number, key in enumerate(asked):
        if number == request["warm"]:
            began = time.perf_counter()
        call(key)
    return {"seconds": time.perf_counter() - began}


async def measure_async(make: Callable[[str], AsyncCall], request: Request) -> dict[str, float]:
    asked, began = keys(request), 0.0
    call = make(url_of(request))
    for number, key in enumerate(asked):
        if number == request["warm"]:
            began = time.perf_counter()
        await call(key)
    return {"seconds": time.perf_counter() - began}


def url_of(request: Request) -> str:
    return f"redis://127.0.0.1:{request['port']}"


def answer(name: str, request: Request) -> dict[str, float]:
    if name in BLOCKING:
        return measure(BLOCKING[name](url_of(request)), request)
    return asyncio.run(measure_async(ASYNCIO[name], request))


BLOCKING: Final = {"toril": toril, "dogpile": dogpile}
ASYNCIO: Final = {"toril-async": toril_async, "cashews": cashews}


def serve(name: str) -> None:
    """Answer requests until there are no more."""
    for line in sys.stdin:
        try:
            reply: dict[str, object] = {"value": answer(name, json.loads(line))}
        except Exception as error:  # noqa: BLE001 - whoever asked is told
            reply = {"error": repr(error)}
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve(sys.argv[1])
