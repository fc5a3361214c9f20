"""Send jobs to a queue: many calls in one request, each request once, whatever is lost."""  # generated from _async/producer.py by tools/generate_sync.py: edit that file

from collections.abc import Sequence
from typing import Final

from toril.bullmq._sync.store import Store
from toril.bullmq.operations.add.add_jobs import Added, AddJobs, NewJob
from toril.bullmq.producer_id import ProducerId
from toril.connection import Coalescer
from toril.core.errors import TorilError

MAX_JOBS: Final = 1_000
MAX_BYTES: Final = 4 * 2**20
"""Of one request, so that the server is quick to answer it."""

_MOST_IN_FLIGHT: Final = 2
"""As the coalescer has it: each request under way has a number of a producer of its own."""


class Producer:
    """Numbers its requests, so that the server can tell a repeated one from a new one.

    A number counts for one request at a time: two under way are those of two producers.
    """

    def __init__(self, store: Store) -> None:
        self._store: Final = store
        self._idle = [ProducerId() for _ in range(_MOST_IN_FLIGHT)]
        self._bulk: Final = ProducerId()
        self._calls: Final[Coalescer[NewJob, Added]] = Coalescer(
            self._send, max_items=MAX_JOBS, max_bytes=MAX_BYTES, size=size_of
        )

    def add(self, job: NewJob) -> Added:
        """Send a job together with what else is to be sent right now."""
        return self._calls.submit(job)

    def add_all(self, jobs: Sequence[NewJob]) -> list[Added | TorilError]:
        """Send these in one round trip, in requests of a bounded size; each is all or nothing."""
        self._store.open()
        requests = [
            AddJobs(keys=self._store.keys, producer=self._bulk.once(), sequence=1, jobs=chunk)
            for chunk in chunks(jobs)
        ]
        results: list[Added | TorilError] = []
        for request, answer in zip(
            requests, self._store.runner.run_all(requests), strict=True
        ):
            results += [answer] * len(request.jobs) if isinstance(answer, TorilError) else answer
        return results

    def _send(self, jobs: Sequence[NewJob]) -> Sequence[Added]:
        # Here and not where the calls come in: they would wait for it one by one and lose their
        # order, which is the order of the jobs.
        self._store.open()
        identity = self._idle.pop()
        try:
            producer, sequence = identity.next()
            return self._store.runner.run(
                AddJobs(keys=self._store.keys, producer=producer, sequence=sequence, jobs=jobs)
            )
        finally:
            self._idle.append(identity)


def size_of(job: NewJob) -> int:
    """About how many bytes a job takes on its way."""
    return len(job.data) + len(job.opts) + len(job.name)


def chunks(jobs: Sequence[NewJob]) -> Sequence[Sequence[NewJob]]:
    """Split where a request would pass its limits; a single job may be larger."""
    found: list[list[NewJob]] = []
    size = 0
    for job in jobs:
        size += size_of(job)
        if not found or size > MAX_BYTES or len(found[-1]) == MAX_JOBS:
            found.append([])
            size = size_of(job)
        found[-1].append(job)
    return found
