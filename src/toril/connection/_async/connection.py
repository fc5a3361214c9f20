"""Connections to one server that several objects share."""

from typing import Final, Self

from toril.connection._async.runner import AsyncRunner
from toril.connection.target import Target
from toril.telemetry.emitter import Emitter
from toril.telemetry.logging import log_events


class AsyncConnection:
    """A pool of connections for objects that would otherwise each have their own.

    `target` is a URL, a client of redis-py or valkey-py, or nothing for `TORIL_URL`, `REDIS_URL`
    or localhost. It connects when it is first used. Whoever made it closes it; closing an object
    that shares it leaves it open. The job that a handler works on has the one of its worker.

    >>> async with AsyncConnection("embedded://") as connection:
    ...     mail, api = AsyncLock("mail", connection), AsyncLock("api", connection)
    """

    def __init__(self, target: object = None, *, emitter: Emitter | None = None) -> None:
        self.target: Final = Target.of(target)
        self.emitter: Final = emitter or Emitter(log_events)
        self.runner: Final = AsyncRunner(self.target, emitter=self.emitter)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.target.label}>"

    async def close(self) -> None:
        """Let go of every connection that is not in use; needs no network."""
        await self.runner.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
