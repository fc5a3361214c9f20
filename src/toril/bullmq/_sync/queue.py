"""Add jobs to a queue, look at them, wait for them."""  # generated from _async/queue.py by tools/generate_sync.py: edit that file

from collections.abc import Iterable
from typing import Final, Self, Unpack

from toril.bullmq._sync import clearing
from toril.bullmq._sync.job import Job
from toril.bullmq._sync.jobs import Jobs
from toril.bullmq._sync.limits import Limits
from toril.bullmq._sync.metrics import Metrics
from toril.bullmq._sync.producer import Producer
from toril.bullmq._sync.store import Store
from toril.bullmq._sync.workers import Workers
from toril.bullmq.job_options import NO_DATA, JobOptions, JobSpec, new_job, new_jobs, record_of
from toril.bullmq.naming import QueueName
from toril.bullmq.operations.inspect.counts import CountJobs, Counts
from toril.bullmq.operations.inspect.deduplication_owner import GetDeduplicationOwner
from toril.bullmq.operations.inspect.get_job import GetJob
from toril.bullmq.operations.inspect.is_paused import IsPaused
from toril.bullmq.operations.maintain.pause import Pause
from toril.bullmq.operations.maintain.remove_deduplication import RemoveDeduplication
from toril.bullmq.operations.maintain.resume import Resume
from toril.bullmq.operations.maintain.trim_events import TrimEvents
from toril.bullmq.queue_options import MOST_EVENTS, QueueOptions, check_max_events
from toril.connection import Target
from toril.core.checks import check_truth, check_whole
from toril.core.errors import AddError, TorilError
from toril.core.ids import check_deduplication_id, check_known_job_id
from toril.core.option_names import check_names
from toril.telemetry.emitter import Emitter
from toril.telemetry.logging import log_events


class Queue:
    """A queue of jobs, shared with every client of it in Python and Node.js.

    `target` is a URL, a client of redis-py or valkey-py, or nothing for `TORIL_URL`, `REDIS_URL`
    or localhost.
    `hash_tag=False` opens a Node queue whose name has no braces. It connects at the first call.

    >>> with Queue("mail", "embedded://") as queue:
    ...     job = queue.add("welcome", {"to": "ada@example.com"})
    ...     counts = queue.counts()
    >>> counts.waiting
    1
    """

    def __init__(
        self,
        name: str,
        target: object = None,
        *,
        prefix: str | None = None,
        hash_tag: bool | None = None,
        emitter: Emitter | None = None,
        **options: Unpack[QueueOptions],
    ) -> None:
        check_names(options, QueueOptions, "queue")
        max_events = check_max_events(options)
        where = Target.of(target)
        known_as = QueueName.of(name, prefix=prefix, hash_tag=hash_tag, cluster=where.is_cluster)
        self.name: Final = name
        self._keys: Final = known_as.keys
        self._store: Final = Store(
            known_as,
            where,
            emitter or Emitter(log_events),
            max_events=max_events,
            big_integers=options.get("big_integers", False),
        )
        self.jobs: Final = Jobs(self._store)
        self.limits: Final = Limits(self._store)
        self.metrics: Final = Metrics(self._store)
        self.workers: Final = Workers(self._store, known_as, where.session.db)
        self._producer: Final = Producer(self._store)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._keys.base}>"

    def add(
        self, name: str, data: object = NO_DATA, **options: Unpack[JobOptions]
    ) -> Job:
        """Add a job. Adding is exact: a lost reply never makes two jobs of one call.

        With an `idempotency_key` no number of calls does, from any process. The job that comes
        back then has the id of the first one, and `created` says whether this call made it.

        Raises:
            BadInputError: something about the job is refused; nothing was sent.
            UnavailableError: the server could not be reached; the job was not added.
            OutcomeUnknownError: the server was lost for long; the job may have been added.
        """
        job = new_job(name, data, options, big_integers=self._store.big_integers)
        added = self._producer.add(job)
        return Job(record_of(job, data, added), self._store, created=added.created)

    def add_many(self, jobs: Iterable[JobSpec]) -> list[Job]:
        """Add these jobs in order, in one round trip; all are checked before any is sent.

        They travel in requests of at most 1,000 jobs or 4 MiB, each of which is all or nothing.

        Raises:
            BadInputError: names the job by its place, and the field; nothing was sent.
            AddError: some requests failed; it has the jobs that were added and the errors.
        """
        specs = list(jobs)
        ready = new_jobs(specs, big_integers=self._store.big_integers)
        results = self._producer.add_all(ready)
        added: list[Job] = []
        errors: dict[int, TorilError] = {}
        for place, (job, result) in enumerate(zip(ready, results, strict=True)):
            if isinstance(result, TorilError):
                errors[place] = result
            else:
                record = record_of(job, specs[place][1], result)
                added.append(Job(record, self._store, created=result.created))
        if errors:
            raise AddError(added, errors)
        return added

    def get_job(self, job_id: str) -> Job | None:
        """The job as it is now, or None when there is none with this id.

        Raises:
            UndecodableError: its data or its options are not JSON.
        """
        check_known_job_id(job_id)
        self._store.make_sure()
        record = self._store.runner.run(GetJob(keys=self._keys, job_id=job_id))
        return None if record is None else Job(record, self._store)

    def counts(self) -> Counts:
        """How many jobs are in every state, at one moment."""
        self._store.make_sure()
        return self._store.runner.run(CountJobs(keys=self._keys))

    def pause(self) -> None:
        """Let no worker anywhere take a job until `resume`; jobs that run go on.

        Jobs can still be added, and wait. Pausing a paused queue does no harm.
        """
        self._store.open()
        self._store.runner.run(Pause(keys=self._keys))

    def resume(self) -> None:
        """Let workers take jobs again, in the order in which they wait."""
        self._store.open()
        self._store.runner.run(Resume(keys=self._keys))

    def is_paused(self) -> bool:
        """Whether somebody has paused the queue, in Python or in Node.js."""
        self._store.make_sure()
        return self._store.runner.run(IsPaused(keys=self._keys))

    def deduplication_owner(self, deduplication_id: str) -> str | None:
        """The id of the job that keeps others with this deduplication id out, if there is one.

        An id that has a time to live keeps its owner until then, even one that is removed.
        """
        check_deduplication_id(deduplication_id)
        self._store.make_sure()
        return self._store.runner.run(
            GetDeduplicationOwner(keys=self._keys, deduplication_id=deduplication_id)
        )

    def remove_deduplication(self, deduplication_id: str) -> bool:
        """Let the next job with this deduplication id in; whether there was an owner.

        The owner itself stays as it is, and a job that is kept back is still added at its end.

        Raises:
            OutcomeUnknownError: the reply was lost; it may have been done.
        """
        check_deduplication_id(deduplication_id)
        self._store.make_sure()
        return self._store.runner.run(
            RemoveDeduplication(keys=self._keys, deduplication_id=deduplication_id)
        )

    def drain(self, *, delayed: bool = False) -> int:
        """Remove every job that waits, and with `delayed` those that wait for their time; how many.

        Jobs that run go on, and what is added meanwhile stays; so do the next jobs of schedulers.
        In requests of at most 1,000 jobs. A parent that waits for nothing but removed children is
        removed too, or runs when it is in another queue.
        """
        check_truth(delayed, "delayed")
        self._store.make_sure()
        return clearing.drain(self._store, delayed=delayed)

    def obliterate(self, *, force: bool = False) -> None:
        """Remove the queue with everything in it, and all that toril keeps beside it.

        In requests of at most 1,000 jobs, with the queue paused until the last one. At the end
        it looks through all keys of the server for what is left, which takes a while where there
        are many millions. With `force`, jobs that run are removed too: their workers lose them.

        Raises:
            QueueBusyError: jobs run; nothing was done.
        """
        check_truth(force, "force")
        self._store.make_sure()
        clearing.obliterate(self._store, force=force)

    def trim_events(self, max_length: int) -> int:
        """Keep about so many of the newest entries of the event stream; how many went.

        Redis shortens a stream by whole nodes: about 100 entries more may stay.
        """
        check_whole(max_length, "max_length", 0, MOST_EVENTS)
        self._store.make_sure()
        return self._store.runner.run(TrimEvents(keys=self._keys, max_length=max_length))

    def close(self) -> None:
        """Let go of every connection."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
