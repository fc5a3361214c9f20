"""What an answer of the store means: effects become events, claims become runs."""

from collections.abc import Iterable, Sequence
from time import monotonic
from typing import Generic, TypeVar

from toril.core.outcome import GiveBack
from toril.runtime.alarm import Alarm
from toril.runtime.lease_keeper import LeaseKeeper
from toril.runtime.ledger import Batch, Finished, Ledger
from toril.runtime.reports import Reports
from toril.runtime.runs import Runs
from toril.runtime.source import (
    Claimed,
    Effect,
    Exchange,
    Lease,
    Outcome,
    Raised,
    Reaped,
    Said,
    Settled,
)

J = TypeVar("J")


class Answers(Generic[J]):
    """Takes in the answers to every call the engine makes, and the errors.

    `answered_at`, `problem` and `given_back` (jobs that went back while the engine was closing)
    are written on the loop and may be read anywhere.
    """

    def __init__(
        self,
        ledger: Ledger[J],
        runs: Runs[J],
        *,
        keeper: LeaseKeeper,
        alarm: Alarm,
        reports: Reports,
    ) -> None:
        self.answered_at: float | None = None
        self.problem = ""
        self.given_back = 0
        self._exchange_failed = False
        self._ledger = ledger
        self._runs = runs
        self._keeper = keeper
        self._alarm = alarm
        self._reports = reports

    def landed(self, batch: Batch[J], exchange: Exchange[J]) -> None:
        """An exchange was answered."""
        self._settle(batch.finished, exchange.settled)
        self._ledger.landed(batch, len(exchange.claimed))
        self._take_in(exchange, batch.finished)

    def rang(self, want: int, exchange: Exchange[J]) -> None:
        """The wait at the doorbell ended, with jobs or without."""
        self._settle((), exchange.settled)
        self._ledger.leave_room(want, len(exchange.claimed))
        self._take_in(exchange, ())

    def reaped(self, reaped: Reaped) -> None:
        """The store looked for the jobs of lost workers."""
        self._answered_beside()
        self._reports.reaped(reaped)

    def heard(self, cancelled: Sequence[Lease]) -> None:
        """The store was asked which jobs were cancelled."""
        self._answered_beside()
        self._runs.cancel(cancelled)

    def failed(self, error: Exception) -> None:
        """A call failed; whoever made it makes it again."""
        self.problem = self._reports.failed(error)

    def exchange_failed(self, error: Exception) -> None:
        """No jobs come and go: until they do, other answers of the store are no sign of health."""
        self.failed(error)
        self._exchange_failed = True

    def _answered_beside(self) -> None:
        if not self._exchange_failed:
            self._answered()

    def _answered(self) -> None:
        self._exchange_failed = False
        self._reports.answered()
        self.answered_at = monotonic()
        self.problem = ""

    def _settle(self, finished: Sequence[Finished[J]], settled: Iterable[Settled]) -> None:
        for run, effect in zip(finished, settled, strict=True):
            if effect.effect is Effect.GIVEN_BACK and self._ledger.is_closing:
                self.given_back += 1
            self._reports.settled(effect, run.took_ms)

    def _take_in(self, exchange: Exchange[J], finished: Sequence[Finished[J]]) -> None:
        self._answered()
        if not self._ledger.is_closing:
            self._alarm.set(exchange.next_in_ms, gave=bool(exchange.claimed))
        claims = exchange.claimed
        if finished or claims:
            self._keeper.change(
                dropped=[run.outcome.claimed.lease for run in finished],
                held=[claimed.lease for claimed in claims],
                since=exchange.since,
            )
            self._start(claims)

    def _start(self, claims: Sequence[Claimed[J]]) -> None:
        room = self._ledger.room_now
        for claimed in claims:
            if claimed.defect is not None:
                self._ledger.settle(Outcome(claimed, Raised(claimed.defect, final=True)))
            elif room > 0:
                room -= 1
                self._runs.start(claimed)
            else:
                self._ledger.settle(Outcome(claimed, Said(GiveBack())))
