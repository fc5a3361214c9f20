"""One tree of errors: every message is built from the data that the error carries.

Ours-or-theirs is visible in the class: `BadInputError` is the caller, `WireError` is what is
stored, `UnavailableError` and `OutcomeUnknownError` are the network.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

_LETTERS_SHOWN: Final = 400
"""Of a reply that nobody expected: it may be megabytes of a job's data."""


class TorilError(Exception):
    """Base of every error toril raises on purpose."""

    hint: ClassVar[str] = ""
    """What to look at first; shown after the message."""

    def __str__(self) -> str:
        message = super().__str__()
        return f"{message} ({self.hint})" if self.hint else message


class BadInputError(TorilError, ValueError):
    """A value the caller passed is refused; nothing was sent."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class NotFoundError(TorilError, LookupError):
    """What was asked for does not exist."""


class JobNotFoundError(NotFoundError):
    """The queue has no job with this id."""

    def __init__(self, queue: str, job_id: str) -> None:
        super().__init__(f"queue {queue!r} has no job {job_id!r}")
        self.queue = queue
        self.job_id = job_id


class ConflictError(TorilError):
    """The state on the server does not allow this."""


class QueueNameAmbiguousError(ConflictError):
    """The queue exists under its sibling's name only: with a hash tag, or without one."""

    def __init__(self, wanted: str, existing: str, *, hash_tag: bool) -> None:
        super().__init__(
            f"there is no queue at {wanted!r}, but there is one at {existing!r}: pass "
            f"hash_tag={not hash_tag} to use the existing one, or hash_tag={hash_tag} "
            f"to start a new one beside it"
        )
        self.wanted = wanted
        self.existing = existing


class QueueBusyError(ConflictError):
    """Jobs of the queue run, and it was not to be removed under them."""

    hint = "wait for them, or pass force=True"

    def __init__(self, queue: str, active: int) -> None:
        super().__init__(f"{active} {'job' if active == 1 else 'jobs'} of queue {queue!r} run")
        self.queue = queue
        self.active = active


class JobStateError(ConflictError):
    """The job is not in a state from which this can be done."""

    def __init__(self, job_id: str, state: str, wanted: str) -> None:
        super().__init__(f"job {job_id!r} is {state}, not {wanted}")
        self.job_id = job_id
        self.state = state
        self.wanted = wanted


class JobLockedError(ConflictError):
    """A worker has the job, or a child of it, and would go on with what is not there any more."""

    def __init__(self, job_id: str, locked: str) -> None:
        whose = "it" if locked == job_id else f"its child {locked!r}"
        super().__init__(f"job {job_id!r} cannot be removed: a worker has {whose}")
        self.job_id = job_id
        self.locked = locked
        """The id, or the key of the child."""


class ScheduledJobError(ConflictError):
    """The job is the next one of a job scheduler, which would make no other without it."""

    def __init__(self, job_id: str, scheduler: str) -> None:
        super().__init__(
            f"job {job_id!r} is the next one of job scheduler {scheduler!r}: remove that"
        )
        self.job_id = job_id
        self.scheduler = scheduler


class LockLostError(ConflictError):
    """The lease on this job ended, or another worker has it now."""

    def __init__(self, job_id: str) -> None:
        super().__init__(f"the lease on job {job_id!r} is lost")
        self.job_id = job_id


class ClosedError(ConflictError):
    """The object was closed; make a new one."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is closed")
        self.what = what


class WrongLoopError(TorilError, RuntimeError):
    """An object was used in two event loops; its connections belong to the first."""

    hint = "make an object in each loop, or use its blocking twin"

    def __init__(self) -> None:
        super().__init__("it is used in another event loop than before")


class AlreadyStartedError(ConflictError):
    """A worker runs once; make a new one to run again."""

    def __init__(self, worker: str) -> None:
        super().__init__(f"worker {worker!r} was started already")
        self.worker = worker


class ChildrenPendingError(ConflictError):
    """The handler returned, and children of its job are pending: the attempt failed."""

    hint = "return WaitForChildren() instead, to run again when they have ended"

    def __init__(self, job_id: str) -> None:
        super().__init__(f"job {job_id!r} has children that are pending")
        self.job_id = job_id


class ChildFailedError(ConflictError):
    """A child that fails its parent has failed: the job can neither complete nor wait."""

    def __init__(self, job_id: str) -> None:
        super().__init__(f"a child of job {job_id!r} has failed")
        self.job_id = job_id


class AddError(TorilError):
    """Some of the jobs of one call were not added, or it is not known whether they were."""

    def __init__(self, added: Sequence[object], errors: Mapping[int, TorilError]) -> None:
        first = min(errors)
        super().__init__(
            f"{len(errors)} of {len(added) + len(errors)} jobs were not added, "
            f"the first at place {first}: {errors[first]}"
        )
        self.added = added
        """The jobs that were added, in order."""
        self.errors = errors
        """What went wrong, by the place of the job in the call."""


class JobFailedError(TorilError):
    """The job whose result was awaited ended as failed."""

    def __init__(self, job_id: str, reason: str) -> None:
        super().__init__(f"job {job_id!r} failed: {reason}")
        self.job_id = job_id
        self.reason = reason


class ResultTimeoutError(TorilError, TimeoutError):
    """The job did not finish within the time the caller wanted to wait."""

    def __init__(self, job_id: str, timeout_ms: int) -> None:
        super().__init__(f"job {job_id!r} did not finish within {timeout_ms / 1000:g} s")
        self.job_id = job_id
        self.timeout_ms = timeout_ms


class UnavailableError(TorilError):
    """The server could not be reached or refused to work now; nothing was done. Try again."""

    def __init__(self, server: str, problem: str) -> None:
        super().__init__(f"{server}: {problem}")
        self.server = server
        self.problem = problem


class OutcomeUnknownError(TorilError):
    """The request was sent and the reply was lost: it may have happened, or not."""

    def __init__(self, operation: str, server: str) -> None:
        super().__init__(f"the reply to {operation} from {server} was lost: it may have happened")
        self.operation = operation
        self.server = server


class DeniedError(TorilError):
    """The server refuses these credentials, or does not permit them this command."""

    def __init__(self, server: str, problem: str) -> None:
        super().__init__(f"{server}: {problem}")
        self.server = server
        self.problem = problem


class MissingExtraError(TorilError):
    """A feature needs a package that is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an extra: pip install 'toril[{extra}]'")
        self.feature = feature
        self.extra = extra


class WireError(TorilError):
    """What is stored or answered is not what the protocol allows."""


class UndecodableError(WireError):
    """A stored value cannot be read as what its field must hold."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field} cannot be read: {problem}")
        self.field = field
        self.problem = problem


class ScriptError(WireError):
    """A script raised on the server: a key has a foreign type, or toril has a bug."""

    def __init__(self, script: str, problem: str) -> None:
        super().__init__(f"{script} failed on the server: {problem}")
        self.script = script
        self.problem = problem


class ScriptSignatureError(TorilError):
    """Python passed other names than the script's signature declares."""

    def __init__(self, script: str, expected: Sequence[str], got: Sequence[str]) -> None:
        super().__init__(f"{script} takes {tuple(expected)}, got {tuple(got)}")
        self.script = script


class UnexpectedReplyError(WireError):
    """A script answered in a shape its Python half does not know."""

    hint = "are two versions of toril sharing this Redis?"

    def __init__(self, script: str, reply: object) -> None:
        super().__init__(f"{script} replied {_shown(reply)}")
        self.script = script
        self.reply = reply


def _shown(reply: object) -> str:
    text = repr(reply)
    return text if len(text) <= _LETTERS_SHOWN else f"{text[:_LETTERS_SHOWN]}…"


class TransientError(TorilError):
    """For handlers to raise: this attempt failed, another may succeed."""


class HandlerTimeoutError(TransientError, TimeoutError):
    """A handler ran for longer than its worker or its job allows; the attempt failed."""

    def __init__(self, timeout_ms: int) -> None:
        super().__init__(f"the handler did not end within {timeout_ms / 1000:g} s")
        self.timeout_ms = timeout_ms


class PermanentError(TorilError):
    """For handlers to raise: no further attempt can succeed; the job fails now."""


class JobCancelledError(PermanentError):
    """The job was cancelled while it ran; it fails, whatever attempts it has left."""

    def __init__(self) -> None:
        super().__init__("cancelled")


class WorkerBrokenError(TorilError):
    """A part of the worker ended that may only end with it."""

    def __init__(self, worker: str, part: str) -> None:
        super().__init__(f"worker {worker!r} lost a part of itself: {part}")
        self.worker = worker
        self.part = part
