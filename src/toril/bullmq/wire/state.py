"""The states of a job: toril's names, and the keys whose members are in them."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, get_args

JobState: TypeAlias = Literal[
    "waiting",
    "paused",
    "prioritized",
    "delayed",
    "active",
    "waiting_children",
    "completed",
    "failed",
    "unknown",
]
"""Where a job is. A ready one is in one of waiting, prioritized and, while its queue is paused,
paused; one that is stored and in no list at all is unknown: something has lost it."""

CleanState: TypeAlias = Literal[
    "waiting", "paused", "prioritized", "delayed", "active", "completed", "failed"
]
"""States that can be cleaned of old jobs: parents that wait for their children are not old."""

CLEAN_STATES: Final[tuple[CleanState, ...]] = get_args(CleanState)

STATES: Final[Mapping[str, JobState]] = {
    "wait": "waiting",
    "paused": "paused",
    "prioritized": "prioritized",
    "delayed": "delayed",
    "active": "active",
    "waiting-children": "waiting_children",
    "completed": "completed",
    "failed": "failed",
}
"""By the last part of the key that holds the jobs in it."""

PLACES: Final[Mapping[JobState, tuple[str, ...]]] = {
    **{state: (place,) for place, state in STATES.items()},
    "waiting": ("wait", "paused"),
}
"""The last parts of the keys that list the jobs of a state. To BullMQ a job that waits does so
while its queue is paused, too; only counts tell the two apart."""


def state_at(place: str) -> JobState:
    """The state of a job whose id this key of the queue holds; no key has no name."""
    return STATES.get(place, "unknown")
