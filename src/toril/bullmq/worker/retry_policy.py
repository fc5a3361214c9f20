"""What a failed attempt means, where somebody decides it: another attempt or none, and how soon.

Functions of other people's are called here. One that raises, or answers what it may not, costs no
job anything: the job is tried again, after a second where a pause was asked for.
"""

import inspect
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, TypeAlias

from toril.bullmq.custom_backoff import CustomBackoff
from toril.bullmq.wire.job import JobRecord
from toril.bullmq.worker.failure import reason_of
from toril.core.durations import Duration, to_ms, to_timedelta
from toril.core.errors import BadInputError
from toril.core.transience import is_transient

_LOG: Final = logging.getLogger("toril.bullmq.worker")

_PAUSE_MS: Final = 1_000
"""Of a job whose own cannot be known."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An attempt that failed, for those who decide what becomes of its job."""

    job: JobRecord
    error: BaseException

    @property
    def attempts(self) -> int:
        """How many attempts of the job have failed now; 1 after the first."""
        return self.job.attempts_made + 1

    @property
    def backoff(self) -> CustomBackoff | None:
        """The backoff that the job asks for, if it is of a kind of its own."""
        stored = self.job.options.backoff
        return None if stored is None else CustomBackoff.read(stored)


RetryPolicy: TypeAlias = Literal["default", "categorized"] | Callable[[Failure], bool]
"""`"default"`: any failure is worth another attempt. `"categorized"`: those that `is_transient`
knows. Or a function that says so, and is not asked of a `PermanentError` or a `Retry`."""

BackoffStrategy: TypeAlias = Callable[[Failure], Duration | None]
"""Says how long a job waits for its next attempt, when its backoff is a `CustomBackoff`."""


def any_failure(failure: Failure) -> bool:
    """The default: whatever it was, try again."""
    del failure
    return True


def retry_policy_of(option: object) -> Callable[[Failure], bool]:
    """The function that an option stands for.

    Raises:
        BadInputError: it is neither of the names, nor a function that can be called.
    """
    if option == "default":
        return any_failure
    if option == "categorized":
        return _categorized
    if isinstance(option, str):
        raise BadInputError("retry_policy", f"{option!r} is neither 'default' nor 'categorized'")
    return partial(_asked, check_plain(option, "retry_policy"))


def check_plain(function: object, field: str) -> Callable[[Failure], object]:
    """The function, if its answer comes at once.

    Raises:
        BadInputError: it cannot be called, or is `async def`.
    """
    if not callable(function):
        raise BadInputError(field, f"{function!r} cannot be called")
    if inspect.iscoroutinefunction(function):
        raise BadInputError(field, "is async: a worker cannot wait for it; declare it with `def`")
    return function


def custom_pause_ms(
    failure: Failure, strategy: Callable[[Failure], object] | None, *, most_ms: int
) -> int:
    """The pause of a job with a backoff of its own; 0 for none, `most_ms` at most."""
    stored = failure.job.options.backoff
    backoff = f"backoff {stored.kind!r}" if stored else "its backoff"
    if strategy is None or failure.backoff is None:
        _warn(failure, f"this worker has no strategy for {backoff}; waiting 1 s")
        return min(_PAUSE_MS, most_ms)
    try:
        return _bounded_ms(strategy(failure), most_ms)
    except Exception as error:  # noqa: BLE001 - somebody's function
        _warn(failure, f"the strategy for {backoff} failed: {_told(error)}; waiting 1 s")
        return min(_PAUSE_MS, most_ms)


def _categorized(failure: Failure) -> bool:
    return is_transient(failure.error)


def _asked(policy: Callable[[Failure], object], failure: Failure) -> bool:
    try:
        answer = policy(failure)
    except Exception as error:  # noqa: BLE001 - somebody's function
        _warn(failure, f"the retry policy failed: {_told(error)}; trying the job again")
        return True
    if isinstance(answer, bool):
        return answer
    what = f"answered a {type(answer).__name__}, neither True nor False"
    _warn(failure, f"the retry policy {what}; trying the job again")
    return True


def _bounded_ms(pause: object, most_ms: int) -> int:
    if pause is None:
        return 0
    longest = to_timedelta(most_ms)
    if isinstance(pause, (int, float)):
        pause = min(pause, longest.total_seconds())
    elif isinstance(pause, type(longest)):
        pause = min(pause, longest)
    return to_ms(pause, "backoff_strategy")  # type: ignore[arg-type]


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {reason_of(error)}"


def _warn(failure: Failure, what: str) -> None:
    _LOG.warning("job %s: %s", failure.job.id, what)
