"""Limits that hold for all workers of a queue together. What `queue.limits` is."""  # generated from _async/limits.py by tools/generate_sync.py: edit that file

from datetime import timedelta
from typing import Final

from toril.bullmq._sync.store import Store
from toril.bullmq.operations.inspect.limits import LimitsInUse, ReadLimits
from toril.bullmq.operations.maintain.limit_rate import LimitRate
from toril.bullmq.operations.maintain.set_limits import NONE, SetLimits
from toril.bullmq.rate_limit import MOST_JOBS, RateLimit
from toril.core.checks import check_whole
from toril.core.durations import Duration, to_ms, to_timedelta


class Limits:
    """Stored with the queue: workers in Python and in Node obey them.

    A change reaches idle workers at once. Running jobs are not concerned.
    """

    def __init__(self, store: Store) -> None:
        self._store: Final = store

    def set_global_concurrency(self, concurrency: int) -> None:
        """Let no more jobs run at the same time than this, on all workers together.

        Raises:
            BadInputError: it is not a whole number above 0; to let none run, pause the queue.
        """
        most = check_whole(concurrency, "concurrency", 1, MOST_JOBS)
        self._set(SetLimits(keys=self._store.keys, concurrency=most))

    def remove_global_concurrency(self) -> None:
        """Let each worker run as many jobs as it wants."""
        self._set(SetLimits(keys=self._store.keys, concurrency=NONE))

    def global_concurrency(self) -> int | None:
        """How many jobs may run at the same time; None when there is no limit."""
        return (self._read()).concurrency

    def set_global_rate_limit(self, max: int, duration: Duration) -> None:  # noqa: A002
        """Let no more than `max` jobs start in every `duration`, on all workers together.

        It goes before the `max` of a worker's own limiter.

        Raises:
            BadInputError: `max` is not a whole number above 0, or the duration is not above 0.
        """
        most = check_whole(max, "max", 1, MOST_JOBS)
        duration_ms = to_ms(duration, "duration", minimum=1)
        keys = self._store.keys
        self._set(SetLimits(keys=keys, rate_max=most, rate_duration_ms=duration_ms))

    def remove_global_rate_limit(self) -> None:
        """Let jobs start as fast as they can."""
        keys = self._store.keys
        self._set(SetLimits(keys=keys, rate_max=NONE, rate_duration_ms=NONE))

    def global_rate_limit(self) -> RateLimit | None:
        """How many jobs may start in which time; None when there is no limit."""
        limits = self._read()
        if limits.rate_max is None or limits.rate_duration_ms is None:
            return None
        return RateLimit(limits.rate_max, to_timedelta(limits.rate_duration_ms))

    def rate_limit(self, duration: Duration) -> None:
        """Let no job start for this long, as when the service behind the jobs asks for a rest.

        It has an effect only where there is a rate limit: the queue's, or a worker's own.

        Raises:
            BadInputError: the duration is not above 0.
        """
        duration_ms = to_ms(duration, "duration", minimum=1)
        self._set(LimitRate(keys=self._store.keys, duration_ms=duration_ms))

    def remove_rate_limit(self) -> None:
        """Let jobs start again at once, whatever has been used of the rate limit."""
        self._set(LimitRate(keys=self._store.keys, duration_ms=0))

    def rate_limit_ttl(self, max: int | None = None) -> timedelta | None:  # noqa: A002
        """How long no job may start; None when one may.

        `max` is for a worker with a limit of its own: it says how many jobs that one lets start.
        Without it, and without a limit of the queue, it tells the rest of a period that has begun.
        """
        most = None if max is None else check_whole(max, "max", 1, MOST_JOBS)
        limited_ms = (self._read()).limited_for_ms(most)
        return to_timedelta(limited_ms) if limited_ms else None

    def is_maxed(self) -> bool:
        """Whether as many jobs are running as the global concurrency allows."""
        return (self._read()).is_maxed

    def _set(self, change: SetLimits | LimitRate) -> None:
        self._store.make_sure()
        self._store.runner.run(change)

    def _read(self) -> LimitsInUse:
        self._store.make_sure()
        return self._store.runner.run(ReadLimits(keys=self._store.keys))
