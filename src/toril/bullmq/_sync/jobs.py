"""The jobs of a queue: look at them, move them, remove them. What `queue.jobs` is."""  # generated from _async/jobs.py by tools/generate_sync.py: edit that file

from toril.bullmq._sync.job_verbs import JobVerbs


class Jobs(JobVerbs):
    """One job by its id, or many by what they are."""
