"""Empty a queue, in requests that are small enough for the server to serve others in between."""  # generated from _async/clearing.py by tools/generate_sync.py: edit that file

from collections.abc import Sequence
from contextlib import suppress

from toril.bullmq._sync.store import Store
from toril.bullmq.operations.clear.clean_jobs import CleanJobs
from toril.bullmq.operations.clear.drain_jobs import DrainJobs
from toril.bullmq.operations.clear.obliterate import Busy, Obliterate
from toril.bullmq.operations.clear.sweep import START, Sweep
from toril.bullmq.operations.inspect.counts import CountJobs
from toril.bullmq.wire.state import PLACES, CleanState
from toril.core.errors import DeniedError, QueueBusyError

MOST_AT_ONCE = 1_000


def drain(store: Store, *, delayed: bool) -> int:
    """Remove what waits now, and not what is added meanwhile; how many jobs that were."""
    counts = store.runner.run(CountJobs(keys=store.keys))
    left = counts.waiting + counts.paused + counts.prioritized + delayed * counts.delayed
    removed = 0
    while left > 0:
        count = min(left, MOST_AT_ONCE)
        batch = store.runner.run(DrainJobs(keys=store.keys, delayed=delayed, count=count))
        left -= batch or left
        removed += batch
    return removed


def clean(
    store: Store, state: CleanState, *, grace_ms: int, limit: int | None = None
) -> list[str]:
    """Remove old jobs of one state, up to a limit; their ids."""
    ids: list[str] = []
    for place in _places(store, state):
        left = None if limit is None else limit - len(ids)
        ids += _clean_place(store, place, grace_ms, left)
    return ids


def _places(store: Store, state: CleanState) -> Sequence[str]:
    """Jobs that wait are in one list or, beside clients of several versions, in two."""
    places = PLACES[state]
    if len(places) == 1:
        return places
    counts = store.runner.run(CountJobs(keys=store.keys))
    if not counts.paused:
        return places[:1]
    return places if counts.waiting else places[1:]


def _clean_place(
    store: Store, place: str, grace_ms: int, limit: int | None
) -> list[str]:
    ids: list[str] = []
    skip, is_last = 0, False
    while not is_last and (limit is None or len(ids) < limit):
        count = MOST_AT_ONCE if limit is None else min(limit - len(ids), MOST_AT_ONCE)
        batch = store.runner.run(
            CleanJobs(keys=store.keys, place=place, grace_ms=grace_ms, count=count, skip=skip)
        )
        ids += batch.ids
        skip += batch.kept
        is_last = batch.is_last
    return ids


def obliterate(store: Store, *, force: bool) -> None:
    """Remove the queue, and then what no job of it led to."""
    is_gone = False
    while not is_gone:
        outcome = store.runner.run(
            Obliterate(keys=store.keys, force=force, count=MOST_AT_ONCE)
        )
        if isinstance(outcome, Busy):
            raise QueueBusyError(store.keys.name, outcome.active)
        is_gone = outcome
    store.forget()
    # Permissions may not allow a look at the server's keys; the queue is gone all the same.
    with suppress(DeniedError):
        _sweep(store)


def _sweep(store: Store) -> None:
    cursor = store.runner.run(Sweep(keys=store.keys))
    while cursor != START:
        cursor = store.runner.run(Sweep(keys=store.keys, cursor=cursor))
