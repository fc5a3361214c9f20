"""What can be done with one job by its id: the one place that queues and jobs have it from."""  # generated from _async/job_verbs.py by tools/generate_sync.py: edit that file

from typing import Final

from toril.bullmq._sync.store import Store
from toril.bullmq.operations.inspect.job_state import GetJobState
from toril.bullmq.wire.state import JobState
from toril.core.ids import check_known_job_id


class JobVerbs:
    """Each verb takes the id of a job, whoever has it and wherever it is."""

    def __init__(self, store: Store) -> None:
        self._store: Final = store

    def state(self, job_id: str) -> JobState | None:
        """Where the job is now, or None when there is none with this id."""
        check_known_job_id(job_id)
        self._store.make_sure()
        return self._store.runner.run(GetJobState(keys=self._store.keys, job_id=job_id))
