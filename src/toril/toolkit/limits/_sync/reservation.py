"""What was reserved by an estimate, until it is known what it was."""  # generated from _async/reservation.py by tools/generate_sync.py: edit that file

from typing import Final

from toril.core.checks import check_whole
from toril.toolkit.limits._sync.desk import Desk
from toril.toolkit.limits.decision import Decision
from toril.toolkit.limits.rate import MOST


class Reservation:
    """An estimate that counts as the cost until `settle` says what it was."""

    def __init__(self, desk: Desk, decision: Decision) -> None:
        self._desk: Final = desk
        self.decision: Final = decision

    def settle(self, actual: int) -> bool:
        """Count what it was instead: less is given back, and more becomes debt.

        While there is debt nothing is granted. False when it was settled before, or the server was
        away; then the estimate stays.

        Raises:
            BadInputError: `actual` is not a whole number from 0 to 2^31.
            UnavailableError: the server was not there, and `on_error` is `raise`.
            OutcomeUnknownError: its reply was lost, and `on_error` is `raise`.
        """
        check_whole(actual, "actual", 0, MOST)
        return any([self._desk.adjust(grant, actual) for grant in self.decision.grants])
