"""What an object of the toolkit talks through: a shared connection, or one of its own."""  # generated from _async/client.py by tools/generate_sync.py: edit that file

from collections.abc import Sequence
from typing import Final, TypeVar

from toril.connection import Connection, Target
from toril.connection._sync.pause import home
from toril.connection.errand import Delivery
from toril.core.errors import TorilError, WrongLoopError
from toril.core.operation import Operation
from toril.telemetry.emitter import Emitter

R = TypeVar("R")


class Client:
    """Runs operations within `timeout_ms`, in the loop of its first call and in no other."""

    def __init__(self, target: object, *, timeout_ms: int, emitter: Emitter | None = None) -> None:
        self._is_own: Final = not isinstance(target, Connection)
        self._connection: Final = (
            target
            if isinstance(target, Connection)
            else Connection(target, emitter=emitter)
        )
        self.emitter: Final = emitter or self._connection.emitter
        self.timeout_ms: Final = timeout_ms
        self._home: object = None

    @property
    def target(self) -> Target:
        """Where it connects, for a connection of another kind."""
        return self._connection.target

    def run(self, operation: Operation[R], *, within_ms: int | None = None) -> R:
        """Run one operation; the time it may take is that of every call, or less.

        Raises:
            UnavailableError: it did not happen.
            OutcomeUnknownError: it counts, and its reply was lost.
        """
        self._stay_home()
        return self._connection.runner.run(operation, within_ms=self._limit_ms(within_ms))

    def deliver(self, operation: Operation[R], delivery: Delivery) -> R:
        """Run one operation and note how it got there; the time for replicas is beyond."""
        self._stay_home()
        return self._connection.runner.deliver(operation, delivery, within_ms=self.timeout_ms)

    def run_all(
        self,
        operations: Sequence[Operation[R]],
        *,
        within_ms: int | None = None,
        delivery: Delivery | None = None,
    ) -> list[R | TorilError]:
        """Run these in one round trip for each server; errors stand in their places."""
        self._stay_home()
        return self._connection.runner.run_all(
            operations, within_ms=self._limit_ms(within_ms), delivery=delivery
        )

    def close(self) -> None:
        """Let go of the connection, where no others share it."""
        if self._is_own:
            self._connection.close()

    def _limit_ms(self, within_ms: int | None) -> int:
        return self.timeout_ms if within_ms is None else min(within_ms, self.timeout_ms)

    def _stay_home(self) -> None:
        here = home()
        self._home = self._home or here
        if here is not self._home:
            raise WrongLoopError
