"""The two lines jobs stand in: the ready ones by priority, the delayed ones by time."""

import heapq
import itertools
from typing import TypeAlias

from toril.testing.memory_job import JobState, MemoryJob

_Entry: TypeAlias = tuple[int, int, MemoryJob]


class Lines:
    """Heaps that are never searched: an entry whose job has moved on is skipped when it comes up.

    A place is (priority, order) in the ready line and (due, order) in the delayed one.
    """

    def __init__(self) -> None:
        self._ready: list[_Entry] = []
        self._delayed: list[_Entry] = []
        self._tail = itertools.count(1)
        self._head = itertools.count(-1, -1)

    def put_last(self, job: MemoryJob) -> None:
        """Make it ready, behind the others of its priority."""
        self._put(self._ready, job, JobState.WAITING, (job.priority, next(self._tail)))

    def put_first(self, job: MemoryJob) -> None:
        """Make it ready, before all others of its priority."""
        self._put(self._ready, job, JobState.WAITING, (job.priority, next(self._head)))

    def delay(self, job: MemoryJob, due_ms: int) -> None:
        """Hold it back until then."""
        self._put(self._delayed, job, JobState.DELAYED, (due_ms, next(self._tail)))

    def pop_ready(self) -> MemoryJob | None:
        """Take the job whose turn it is."""
        entry = _first(self._ready, JobState.WAITING)
        return heapq.heappop(self._ready)[2] if entry else None

    def pop_due(self, now_ms: int) -> MemoryJob | None:
        """Take the job that has been due for longest."""
        due_ms = self.next_due_ms()
        if due_ms is None or due_ms > now_ms:
            return None
        return heapq.heappop(self._delayed)[2]

    def next_due_ms(self) -> int | None:
        """When the next delayed job comes due."""
        entry = _first(self._delayed, JobState.DELAYED)
        return entry[0] if entry else None

    def _put(
        self, line: list[_Entry], job: MemoryJob, state: JobState, place: tuple[int, int]
    ) -> None:
        job.state = state
        job.place = place
        heapq.heappush(line, (*place, job))


def _first(line: list[_Entry], state: JobState) -> _Entry | None:
    while line:
        rank, order, job = line[0]
        if job.state is state and job.place == (rank, order):
            return line[0]
        heapq.heappop(line)
    return None
