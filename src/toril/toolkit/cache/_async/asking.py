"""How a cache asks the server."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeVar

from toril.core.errors import TorilError
from toril.core.operation import Operation
from toril.toolkit._async.client import AsyncClient
from toril.toolkit.cache.operations.fetch import Fetch, Fetched
from toril.toolkit.cache.operations.read_generation import ReadGeneration

R = TypeVar("R")


class AsyncAsking:
    """Runs operations; on a cluster, those of one question on several nodes."""

    def __init__(self, client: AsyncClient) -> None:
        self.emitter: Final = client.emitter
        self._client: Final = client
        self._is_cluster: Final = client.target.is_cluster

    async def run(self, operation: Operation[R], *, within_ms: int | None = None) -> R:
        """Run one operation."""
        return await self._client.run(operation, within_ms=within_ms)

    async def run_all(self, operations: Sequence[Operation[R]]) -> list[R]:
        """Run these in one round trip for each server, and raise the first error."""
        done: list[R] = []
        for result in await self._client.run_all(operations):
            if isinstance(result, TorilError):
                raise result
            done.append(result)
        return done

    async def fetch(self, fetch: Fetch) -> Fetched:
        """Read an entry and generations, in one script where they lie together."""
        if not self._is_cluster:
            return await self.run(fetch)
        reads = [
            ReadGeneration(generation_key=key, keep_ms=fetch.keep_ms)
            for key in fetch.generation_keys
        ]
        alone = replace(fetch, generation_keys=())
        results: list[Fetched | bytes] = await self.run_all([alone, *reads])
        return _together(results)

    async def generations(
        self, keys: Sequence[str], keep_ms: int, begins_us: int = 0
    ) -> list[bytes]:
        """Read generations; missing ones begin, then or now."""
        return await self.run_all(
            [
                ReadGeneration(generation_key=key, keep_ms=keep_ms, begins_us=begins_us)
                for key in keys
            ]
        )


def _together(results: Sequence[Fetched | bytes]) -> Fetched:
    generations = [result for result in results if isinstance(result, bytes)]
    [fetched] = [result for result in results if isinstance(result, Fetched)]
    return replace(fetched, generations=b" ".join(generations))
