"""How many jobs a queue has got done, minute by minute. What `queue.metrics` is."""

from typing import Final

from toril.bullmq._async.store import AsyncStore
from toril.bullmq.keep import MOST_KEPT
from toril.bullmq.operations.inspect.metrics import ReadMetrics, Throughput
from toril.bullmq.operations.move.retry_jobs import FINISHED_STATES, FinishedState
from toril.core.checks import check_one_of, check_whole

_MOST_MINUTES: Final = 1_000_000


class AsyncMetrics:
    """Kept by workers that were asked to, in Python and in Node."""

    def __init__(self, store: AsyncStore) -> None:
        self._store: Final = store

    async def read(
        self, kind: FinishedState = "completed", *, start: int = 0, limit: int = 1_440
    ) -> Throughput:
        """What is known of completed or of failed jobs.

        Of the minutes, `limit` are read after the newest `start`; a day unless told otherwise.

        Raises:
            BadInputError: nothing is counted of that kind.
        """
        kind = check_one_of(kind, FINISHED_STATES, "kind")
        first = check_whole(start, "start", 0, MOST_KEPT)
        last = first + check_whole(limit, "limit", 1, _MOST_MINUTES) - 1
        await self._store.make_sure()
        question = ReadMetrics(keys=self._store.keys, kind=kind, first=first, last=last)
        return await self._store.runner.run(question)
