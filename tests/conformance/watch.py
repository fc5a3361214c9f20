"""What the harness itself asks a server, from outside of Node and toril."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias, cast

import redis
import redis.asyncio
from tests.support.keyspace import Snapshot, take_snapshot

Entries: TypeAlias = list[tuple[str, dict[str, str]]]

_POLL_S: Final = 0.003


async def until(is_true: Callable[[], bool]) -> None:
    """Ask again and again; the step's own timeout ends it when it never becomes true."""
    while True:
        if is_true():
            return
        await asyncio.sleep(_POLL_S)


class Watch:
    """One server, looked at. It is empty to begin with."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.client = redis.Redis(port=port)
        self.client.flushall()

    def close(self) -> None:
        """Let go of the server; what is stored stays to be looked at."""
        self.client.close()

    def snapshot(self, base: str = "") -> Snapshot:
        """Every key that begins with `base`, in one instant."""
        return take_snapshot(self.client, base)

    def describe(self, base: str) -> str:
        """How many each key holds, and what clients last did: what one asks when it is stuck."""
        kinds = ("wait", "active", "delayed", "prioritized", "paused", "completed", "failed")
        held = self.snapshot(base).keys
        marker = "marked" if f"{base}marker" in held else "not marked"
        counts = ", ".join(
            f"{self._length(base + kind)} {kind}" for kind in kinds if base + kind in held
        )
        clients = ", ".join(
            f"{row['name'] or 'unnamed'} {row['cmd']} {row['flags']} idle {row['idle']} s"
            for row in self.client.client_list()
        )
        return f"{counts}; {marker}; clients: {clients}"

    def _length(self, key: str) -> int:
        is_list = self.client.type(key) == b"list"
        return self.client.llen(key) if is_list else self.client.zcard(key)

    def command(self, words: Sequence[str]) -> None:
        """Meddle with the keyspace, as a scenario asks."""
        self.client.execute_command(*words)

    def due_ms(self, base: str, within_ms: int = 0) -> int | None:
        """When the first delayed job is due, or the last of those due within that time."""
        taken = self.snapshot(f"{base}delayed")
        scores = taken.get(f"{base}delayed").scores().values()
        times = [int(score) // 4096 for score in scores]
        return max((ms for ms in times if ms <= taken.now_ms + within_ms), default=None) or next(
            iter(times), None
        )

    def last_event(self, base: str) -> str:
        """The id of the newest event, or of the beginning."""
        newest = self.snapshot(f"{base}events").get(f"{base}events").entries()[-1:]
        return newest[0][0] if newest else "0-0"

    async def finished(self, base: str, after: str, wanted: int) -> None:
        """Wait until so many jobs have ended since that event."""
        key = f"{base}events"
        async with redis.asyncio.Redis(port=self._port, decode_responses=True) as client:
            while wanted > 0:
                reply = await client.xread({key: after}, block=500)
                for _, entries in cast("list[tuple[str, Entries]]", reply):
                    after = entries[-1][0]
                    wanted -= sum(row["event"] in ("completed", "failed") for _, row in entries)

    async def asleep(self, base: str) -> None:
        """Wait until nobody works: a worker that finds nothing sleeps on the marker it took."""
        await until(
            lambda: not self.client.exists(f"{base}marker", f"{base}active") and self._has_sleeper()
        )

    def _has_sleeper(self) -> bool:
        clients = self.client.client_list()
        return any(row["cmd"] == "bzpopmin" and "b" in row["flags"] for row in clients)
