"""Adds jobs whose ids and names nobody would choose, to queues that nobody would name so."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st
from tests.support.journal import Journal

from toril import AsyncQueue
from toril.bullmq.doctor.layout import INFRASTRUCTURE, SUB_KEYS
from toril.core.errors import BadInputError, QueueNameAmbiguousError
from toril.core.ids import RESERVED_JOB_IDS
from toril.telemetry.emitter import Emitter

_WORDS: Final = sorted({*INFRASTRUCTURE, *SUB_KEYS, *RESERVED_JOB_IDS, "toril", "bull"})
_MARKS: Final = (
    ":",
    "::",
    "{",
    "}",
    "{}",
    "*",
    "?",
    "[a]",
    "\\",
    "'",
    '"',
    "]]",
    "--",
    "%s",
    "../",
)
_LETTERS: Final = (" ", "\n", "\0", "é", "e\u0301", "\u2028", "\x85", "\ud800", "🂡")
_DIGITS: Final = ("0", "00", "-1", "1e3", "١٢")
_PIECES: Final = st.sampled_from([*_WORDS, *_MARKS, *_LETTERS, *_DIGITS])
_TEXTS: Final = (
    st.lists(_PIECES, min_size=1, max_size=4).map("".join)
    | st.text(max_size=12)
    | st.integers(0, 300).map("x".__mul__)
)
_ANYTHING: Final = _TEXTS | st.sampled_from([None, 7, 7.0, True, b"wait", ("wait",)])
_DEED: Final = {"do": "sleep", "for": 0.0}


class Namer:
    """Makes one call an example, and writes down what came of it."""

    def __init__(self, options: Mapping[str, Any], journal: Journal) -> None:
        self._options: Final = options
        self._journal: Final = journal
        self._used: Final[set[object]] = set()
        self._calls = 0

    def run(self) -> None:
        """So many jobs for the queue of the scenario, and so many queues with one job."""
        count = self._options["examples"]
        with asyncio.Runner() as runner:
            queue = AsyncQueue(self._options["queue"], self._options["url"], emitter=Emitter())
            self._try(count, lambda *words: runner.run(self._add(queue, *words)))
            runner.run(queue.close())
            self._try(count, lambda name, _: runner.run(self._open(name)))

    def _try(self, count: int, attempt: Any) -> None:  # noqa: ANN401
        @seed(self._options["seed"])
        @settings(
            max_examples=count,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
            verbosity=Verbosity.quiet,
        )
        @given(_ANYTHING, _ANYTHING)
        def each(one: object, other: object) -> None:
            attempt(one, other)

        each()

    async def _add(self, queue: AsyncQueue, job_id: Any, name: Any) -> None:  # noqa: ANN401
        if job_id in self._used:
            return
        self._used.add(job_id)
        self._calls += 1
        key = f"namer-{self._calls}"
        try:
            job = await queue.add(name, _DEED, job_id=job_id)
        except BadInputError:
            self._journal.write("turned away", key)
            return
        self._journal.write("called", key)
        self._journal.write("added", key, note=job.id)
        if (job.id, job.name) != (job_id, name):
            self._journal.write("unhandled", key, note=f"became {job.name} {job.id}")

    async def _open(self, name: Any) -> None:  # noqa: ANN401
        try:
            async with AsyncQueue(name, self._options["url"], emitter=Emitter()) as queue:
                await queue.add("n", _DEED)
                counts = await queue.counts()
        except (BadInputError, QueueNameAmbiguousError):
            self._journal.write("turned away", "a queue")
            return
        self._journal.write("opened", "a queue", number=counts.waiting)


def main(options: Mapping[str, Any]) -> int:
    """Make the calls; what is wrong is in the journal, and in the keys."""
    with Journal(options["journal"]) as journal:
        Namer(options, journal).run()
    return 0
