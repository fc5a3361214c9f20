"""What can be said about a queue, besides which one it is."""

from typing import Final, TypedDict

from toril.core.checks import check_whole

MOST_EVENTS: Final = 2**53 - 1


class QueueOptions(TypedDict, total=False):
    """Settings of one queue object; the first is stored with the queue."""

    max_events: int
    """About how many events the queue keeps: 10,000 unless somebody has decided otherwise."""

    big_integers: bool
    """Whether job data may hold integers that JavaScript would round."""


def check_max_events(options: QueueOptions) -> int | None:
    """The length of the event stream that was asked for, if any.

    Raises:
        BadInputError: it is not a whole number above 0.
    """
    most = options.get("max_events")
    return None if most is None else check_whole(most, "max_events", 1, MOST_EVENTS)
