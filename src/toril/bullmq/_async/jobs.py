"""The jobs of a queue: look at them, move them, remove them. What `queue.jobs` is."""

from toril.bullmq._async.job_verbs import AsyncJobVerbs


class AsyncJobs(AsyncJobVerbs):
    """One job by its id, or many by what they are."""
