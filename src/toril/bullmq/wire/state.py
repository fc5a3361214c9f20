"""The states of a job: toril's names, and the keys whose members are in them."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

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


def state_at(place: str) -> JobState:
    """The state of a job whose id this key of the queue holds; no key has no name."""
    return STATES.get(place, "unknown")
