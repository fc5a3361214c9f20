"""What the event stream says happened to each job, step by step."""

from collections.abc import Mapping
from typing import Final

NOTHING: Final = "nothing"
REMOVED: Final = "removed"

_ANY: Final = frozenset[str]()

STEPS: Final[Mapping[str, frozenset[str]]] = {
    "added": frozenset({NOTHING, REMOVED, "completed", "failed"}),
    "waiting": frozenset(
        {"added", "delayed", "active", "completed", "failed", "waiting-children", "waiting"}
    ),
    "delayed": frozenset({"added", "active", "delayed", "waiting-children"}),
    "waiting-children": frozenset({"added", "active"}),
    "active": frozenset({"waiting"}),
    "completed": frozenset({"active"}),
    "failed": frozenset({"active"}),
    REMOVED: _ANY,
}
"""Event to the places a job may come from; a job that is gone unseen may be added again."""

WITHOUT_STEP: Final = frozenset(
    {
        "progress",
        "stalled",
        "retries-exhausted",
        "duplicated",
        "debounced",
        "deduplicated",
    }
)
"""Events about a job that do not move it."""

PLACES: Final[Mapping[str, frozenset[str]]] = {
    "waiting": frozenset({"wait", "paused", "prioritized"}),
    "delayed": frozenset({"delayed"}),
    "active": frozenset({"active"}),
    "completed": frozenset({"completed"}),
    "failed": frozenset({"failed"}),
    "waiting-children": frozenset({"waiting-children"}),
}
"""Where a job is stored after its last step."""


class JobPath:
    """One job's way through its events."""

    def __init__(self) -> None:
        self.place = NOTHING
        self.problems: list[str] = []
        self.came_back = False
        """Somebody retried the job by hand after it had finished."""

    def step(self, event: Mapping[str, str]) -> None:
        """Take one event of this job into account."""
        name = event["event"]
        if name in WITHOUT_STEP or name not in STEPS:
            return
        allowed = STEPS[name]
        if allowed and self.place not in allowed:
            self.problems.append(f"{name} after {self.place}")
        self.came_back |= event.get("prev") in ("completed", "failed")
        self.place = name


def job_paths(events: list[dict[str, str]]) -> dict[str, JobPath]:
    """Job id to its path, of jobs whose first event is still in the stream."""
    paths: dict[str, JobPath] = {}
    for event in events:
        job_id = event.get("jobId", "")
        if event.get("event") == "added":
            paths.setdefault(job_id, JobPath())
        if job_id in paths:
            paths[job_id].step(event)
    return paths
