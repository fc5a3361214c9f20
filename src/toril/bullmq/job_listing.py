"""Which places a list of jobs looks at, and from which end."""

from collections.abc import Sequence
from typing import Final

from toril.bullmq.operations.inspect.list_jobs import Place
from toril.bullmq.wire.state import PLACES, JobState
from toril.core.checks import check_one_of

MOST_LISTED: Final = 100_000

_LISTED: Final = tuple(PLACES)
_NEWEST_FIRST: Final = ("completed", "failed")


def places_of(states: Sequence[JobState], newest_first: bool | None) -> list[Place]:
    """Each place once, in the order of the states; all of them when no state is named.

    Raises:
        BadInputError: there is no such state.
    """
    wanted = [check_one_of(state, _LISTED, "state") for state in states] or _LISTED
    places: dict[str, bool] = {}
    for state in wanted:
        turned = state in _NEWEST_FIRST if newest_first is None else newest_first
        for name in PLACES[state]:
            places.setdefault(name, turned)
    return [Place(name, turned) for name, turned in places.items()]
