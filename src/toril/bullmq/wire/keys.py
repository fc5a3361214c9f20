"""The names of a queue's keys: BullMQ's, and toril's own beside them."""

from dataclasses import dataclass
from functools import cached_property

from toril.core.ids import tag_of

DEFAULT_PREFIX = "bull"
OWN_PREFIX = "toril"


@dataclass(frozen=True)
class QueueKeys:
    """Every key of one queue. `name` is the name on the wire, with its braces if it has any."""

    prefix: str
    name: str

    @cached_property
    def base(self) -> str:
        """What every key of the queue starts with; the key of a job is this and its id."""
        return f"{self.prefix}:{self.name}:"

    @cached_property
    def touched(self) -> tuple[str, ...]:
        """The keys that scripts about jobs on the move work out from `base`."""
        parts = ("pc", "marker", "events", "meta", "limiter", "stalled", "id")
        return (*self.states, *(self.base + part for part in parts))

    @cached_property
    def states(self) -> tuple[str, ...]:
        """The keys that hold the ids of the jobs in each state but waiting for children."""
        parts = ("wait", "paused", "active", "prioritized", "delayed", "completed", "failed")
        return tuple(self.base + part for part in parts)

    @cached_property
    def wait(self) -> str:
        """List of waiting jobs; the right end is next."""
        return self.base + "wait"

    @cached_property
    def paused(self) -> str:
        """Where waiting jobs are while the queue is paused."""
        return self.base + "paused"

    @cached_property
    def active(self) -> str:
        """List of running jobs, the newest on the left."""
        return self.base + "active"

    @cached_property
    def prioritized(self) -> str:
        """Sorted set of waiting jobs that have a priority."""
        return self.base + "prioritized"

    @cached_property
    def delayed(self) -> str:
        """Sorted set of jobs that wait for their time."""
        return self.base + "delayed"

    @cached_property
    def waiting_children(self) -> str:
        """Sorted set of jobs that wait for their children."""
        return self.base + "waiting-children"

    @cached_property
    def completed(self) -> str:
        """Sorted set of completed jobs by the time they ended."""
        return self.base + "completed"

    @cached_property
    def failed(self) -> str:
        """Sorted set of failed jobs by the time they ended."""
        return self.base + "failed"

    @cached_property
    def stalled(self) -> str:
        """Set of jobs that were active at the last check for stalls."""
        return self.base + "stalled"

    @cached_property
    def stalled_check(self) -> str:
        """Exists until the next check for stalls may be made."""
        return self.base + "stalled-check"

    @cached_property
    def marker(self) -> str:
        """Sorted set that sleeping workers pop to be woken."""
        return self.base + "marker"

    @cached_property
    def events(self) -> str:
        """Stream of what happened to jobs."""
        return self.base + "events"

    @cached_property
    def meta(self) -> str:
        """Hash of the queue's settings."""
        return self.base + "meta"

    @cached_property
    def limiter(self) -> str:
        """Counter of jobs started in this period of the rate limit."""
        return self.base + "limiter"

    @cached_property
    def id_counter(self) -> str:
        """Counter that automatic ids come from."""
        return self.base + "id"

    @cached_property
    def schedulers(self) -> str:
        """Sorted set of job schedulers by the time of their next run."""
        return self.base + "repeat"

    @cached_property
    def all_metrics(self) -> tuple[str, ...]:
        """The keys that count jobs by the minute in which they ended."""
        kinds = ("completed", "failed")
        return tuple(key for kind in kinds for key in (self.metrics(kind), self.metrics_data(kind)))

    def metrics(self, kind: str) -> str:
        """Hash that counts the jobs that completed or failed, for the key below."""
        return f"{self.base}metrics:{kind}"

    def metrics_data(self, kind: str) -> str:
        """List of how many of them there were in each minute, the newest on the left."""
        return f"{self.base}metrics:{kind}:data"

    def job(self, job_id: str) -> str:
        """Hash of one job."""
        return self.base + job_id

    def lock(self, job_id: str) -> str:
        """Who runs the job, by a token, until it expires."""
        return f"{self.base}{job_id}:lock"

    def logs(self, job_id: str) -> str:
        """List of the log rows of one job."""
        return f"{self.base}{job_id}:logs"

    def deduplication(self, deduplication_id: str) -> str:
        """The job that owns a deduplication id."""
        return f"{self.base}de:{deduplication_id}"

    def kept_job(self, deduplication_id: str) -> str:
        """Hash of the job that is kept back until the owner of its deduplication id ends."""
        return f"{self.base}dn:{deduplication_id}"

    def cancellations(self, worker: str) -> str:
        """Hash of the notes to one of toril's workers about jobs of its own that were cancelled."""
        return self.own(f"cancel:{worker}")

    def own(self, part: str) -> str:
        """A key of toril's, in the same cluster slot but outside the queue's name space.

        Newer BullMQ versions delete what they do not know under the queue's own prefix.
        """
        return f"{OWN_PREFIX}:{{{tag_of(self.base) or ''}}}:{self.base}{part}"
