"""The background of leases: what it does, and that it rests."""

import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from time import monotonic

import pytest

from toril.core.errors import TorilError
from toril.core.operation import Operation
from toril.telemetry.emitter import Emitter
from toril.toolkit.keys import Keys
from toril.toolkit.leases import keeper as keeping
from toril.toolkit.leases.hold import Office
from toril.toolkit.leases.keeper import Keeper
from toril.toolkit.leases.terms import Terms
from toril.toolkit.locks.claim import LockClaim
from toril.toolkit.locks.wire import LockKeys

WATCHED_S = 0.3


class Ledger:
    """Says yes to everything, and tells when it was asked."""

    def __init__(self) -> None:
        self.was_asked = threading.Event()

    async def run_all(
        self, operations: Sequence[Operation[object]], *, within_ms: int | None = None
    ) -> list[object | TorilError]:
        del within_ms
        self.was_asked.set()
        return [None] * len(operations)

    @asynccontextmanager
    async def connect(self) -> AsyncIterator["Ledger"]:
        yield self


def test_it_rests_when_everything_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[float] = []

    def look_at_the_clock() -> float:
        looks.append(monotonic())
        return looks[-1]

    ledger = Ledger()
    keeper = Keeper(ledger.connect)
    keeper.give_up(
        LockClaim(
            keys=LockKeys(Keys("toril", "lk"), "a"),
            token="t",  # noqa: S106 - whose it is
            holder="{}",
            is_fair=False,
            is_sharded=False,
        ),
        Office(Terms(), Emitter()),
        in_doubt=False,
    )
    assert ledger.was_asked.wait(5)
    monkeypatch.setattr(keeping, "monotonic", look_at_the_clock)
    threading.Event().wait(WATCHED_S)
    monkeypatch.undo()
    keeper.end_if_idle()
    assert len(looks) < 50
