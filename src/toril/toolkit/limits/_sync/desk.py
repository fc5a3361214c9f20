"""Where a limiter asks its server, or decides alone when that does not answer."""  # generated from _async/desk.py by tools/generate_sync.py: edit that file

from contextlib import suppress
from typing import Final, cast

from toril.connection._sync.pause import sleep
from toril.core.durations import Duration
from toril.core.errors import OutcomeUnknownError, TorilError, UnavailableError
from toril.toolkit._sync.client import Client
from toril.toolkit.limits.arbiter import Arbiter, Request, patience_us
from toril.toolkit.limits.decision import Decision, Grant
from toril.toolkit.limits.operations.adjust import Adjust


class Desk:
    """One limiter's way to its server."""

    def __init__(self, arbiter: Arbiter, client: Client) -> None:
        self.arbiter: Final = arbiter
        self.client: Final = client

    def hit(self, key: str, cost: int, operation_id: str | None = None) -> Decision:
        """Now, or not at all."""
        if operation_id is None and (denied := self.arbiter.denied(key, cost)):
            return denied
        return self.decide(self.arbiter.request(key, cost, operation_id=operation_id))

    def acquire(self, key: str, cost: int, within: Duration | None) -> Decision:
        """In time, or not at all. What is not waited for is given back."""
        request = self.arbiter.request(key, cost, patience_us=patience_us(within))
        decision = self.decide(request)
        if decision.wait > 0:
            try:
                sleep(decision.wait)
            except BaseException:
                with suppress(TorilError):
                    refund(decision)
                raise
        return decision

    def decide(self, request: Request) -> Decision:
        """The server's answer, or what the limiter says without it."""
        arbiter = self.arbiter
        if arbiter.blackout.rests():
            return arbiter.decide_alone(request, self)
        try:
            ruling = self.client.run(request.hit)
        except (UnavailableError, OutcomeUnknownError) as error:
            arbiter.unanswered(error)
            return arbiter.decide_alone(request, self)
        return arbiter.decided(request, ruling, self)

    def adjust(self, grant: Grant, actual: int) -> bool:
        """Correct what was taken; False when it was corrected before, or nobody knows."""
        arbiter = self.arbiter
        if not grant.spend():
            return False
        arbiter.denials.forget(grant.key)
        if grant.is_local:
            arbiter.local.adjust(
                grant.hit.rows, actual, granted_us=grant.granted_us, slot_us=grant.slot_us
            )
            return True
        try:
            self.client.run(
                Adjust(
                    receipt_key=grant.correction(),
                    answer_key=grant.hit.receipt_key,
                    rows=grant.hit.rows,
                    granted_us=grant.granted_us,
                    slot_us=grant.slot_us,
                    actual=actual,
                )
            )
        except (UnavailableError, OutcomeUnknownError) as error:
            arbiter.unanswered(error)
            return False
        return True


def refund(decision: Decision) -> bool:
    """Give back what was taken, wherever that was; whether anything was."""
    grants = decision.grants
    return any([cast("Desk", grant.desk).adjust(grant, 0) for grant in grants])
