"""One connection of a worker, one request in flight, and the certainty about what it did.

A request that is lost on the way, with its reply or by being cancelled, is first forbidden and
then asked about: what it claimed is found by its token, what it settled by the locks that are
gone. Until that is answered the lane sends nothing else.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from toril.bullmq.operations.claim.claim import Claim, Claims, Taken
from toril.bullmq.operations.claim.recover import Recover, Recovered
from toril.bullmq.operations.claim.wait_marker import WaitMarker
from toril.bullmq.operations.finish.finish_jobs import FinishJobs
from toril.bullmq.operations.finish.return_jobs import ReturnJobs
from toril.bullmq.operations.finish.settlement import Finish, Return, Settlement, Verdict
from toril.bullmq.operations.sender import Sender
from toril.connection import AsyncLine
from toril.core.errors import (
    OutcomeUnknownError,
    TorilError,
    UnavailableError,
    UnexpectedReplyError,
)

MAX_BYTES: Final = 4 * 2**20
"""Of job hashes one way and of results the other, in one script, so that the server stays quick."""

_REFUSED_REST_S: Final = 0.1
"""Before the server is asked again that was there, but would not answer."""


@dataclass(slots=True)
class Answer:
    """What an exchange did: a verdict for each settlement, and what was claimed.

    A settlement without a verdict was not stored and is to be sent again; `error` says what went
    wrong with it, or with the claim, unless the request was simply lost.
    """

    verdicts: list[Verdict | None] = field(default_factory=list)
    taken: list[Taken] = field(default_factory=list)
    now_ms: int | None = None
    next_in_ms: int | None = None
    ghosts: Sequence[str] = ()
    error: TorilError | None = None


@dataclass(frozen=True, slots=True)
class _Lost:
    """A request whose outcome is unknown."""

    sequence: int
    settlements: Sequence[Settlement]


@dataclass(frozen=True, slots=True)
class _Part:
    """A request that settles some outcomes of an exchange, and the places they have in it."""

    places: Sequence[int]
    operation: FinishJobs | ReturnJobs


class Lane:
    """Sends exchanges one after another. `lock_ms` and `worker_name` go into every claim."""

    def __init__(self, line: AsyncLine, sender: Sender, *, lock_ms: int, worker_name: str) -> None:
        self._line: Final = line
        self._sender: Final = sender
        self._lock_ms: Final = lock_ms
        self._worker_name: Final = worker_name
        # The rest belongs to whoever holds this: one user at a time.
        self._use: Final = asyncio.Lock()
        self._sequence = 0
        self._lost: _Lost | None = None
        # Claims of lost requests, until an answer takes them along.
        self._found: list[Taken] = []

    async def exchange(self, settlements: Sequence[Settlement], want: int) -> Answer:
        """Settle, then claim, in one round trip.

        Raises:
            UnavailableError: Nothing was done.
        """
        async with self._use:
            await self._ask_about_lost()
            return self._with_found(await self._exchange(settlements, want))

    async def wait(self, want: int, timeout_ms: int) -> Answer:
        """Sleep until there may be work, then claim.

        Raises:
            UnavailableError: Nothing was done.
        """
        async with self._use:
            await self._ask_about_lost()
            return self._with_found(Answer() if self._found else await self._wait(want, timeout_ms))

    async def recover(self) -> Answer:
        """Learn what became of a request that was lost; whoever is using the lane does it too."""
        if self._use.locked():
            return Answer()
        async with self._use:
            await self._ask_about_lost()
            return self._with_found(Answer())

    def abort(self) -> None:
        """Break the call that is under way."""
        self._line.abort()

    async def close(self) -> None:
        """Let go of the connection."""
        await self._line.close()

    async def _exchange(self, settlements: Sequence[Settlement], want: int) -> Answer:
        parts = self._parts(settlements, want)
        claim = self._claim(want)
        self._lost = _Lost(self._sequence, settlements)
        try:
            results = await self._line.run_all([*(part.operation for part in parts), claim])
        except UnavailableError:
            self._lost = None
            raise
        except OutcomeUnknownError:
            return Answer(await self._after_loss(settlements))
        self._lost = None
        answer = Answer([None] * len(settlements))
        for part, result in zip(parts, results[:-1], strict=True):
            _note_verdicts(answer, part.places, result)
        _note_claims(answer, results[-1])
        return answer

    async def _wait(self, want: int, timeout_ms: int) -> Answer:
        claim = self._claim(want)
        self._lost = _Lost(self._sequence, ())
        marker = WaitMarker(keys=self._sender.keys, block_ms=timeout_ms)
        try:
            _, results = await self._line.read(marker, (claim,))
        except UnavailableError:
            self._lost = None
            raise
        except OutcomeUnknownError:
            return Answer(await self._after_loss(()))
        self._lost = None
        answer = Answer()
        _note_claims(answer, results[0])
        return answer

    def _parts(self, settlements: Sequence[Settlement], want: int) -> list[_Part]:
        """One request for what is finished, or more where results are large; one for the rest."""
        parts = [
            _Part(
                [place for place, _ in chunk],
                FinishJobs(
                    sender=self._sender,
                    sequence=self._next(),
                    finishes=[finish for _, finish in chunk],
                    fetches_next=want > 0,
                ),
            )
            for chunk in _finishes(settlements)
        ]
        returns = [(at, one) for at, one in enumerate(settlements) if isinstance(one, Return)]
        if returns:
            going = [one for _, one in returns]
            operation = ReturnJobs(sender=self._sender, sequence=self._next(), returns=going)
            parts.append(_Part([place for place, _ in returns], operation))
        return parts

    def _claim(self, want: int) -> Claim:
        return Claim(
            sender=self._sender,
            sequence=self._next(),
            want=want,
            max_bytes=MAX_BYTES,
            lock_ms=self._lock_ms,
            worker_name=self._worker_name,
        )

    def _next(self) -> int:
        self._sequence += 1
        return self._sequence

    def _with_found(self, answer: Answer) -> Answer:
        answer.taken = [*self._found, *answer.taken]
        self._found = []
        return answer

    async def _ask_about_lost(self) -> None:
        if self._lost is not None:
            await self._after_loss(self._lost.settlements)

    async def _after_loss(self, settlements: Sequence[Settlement]) -> list[Verdict | None]:
        """Ask until there is an answer; the line rests between attempts, longer each time."""
        question = Recover(
            sender=self._sender,
            sequence=self._sequence,
            leases=[(settlement.id, settlement.token) for settlement in settlements],
        )
        while (recovered := await self._asked(question)) is None:
            pass
        self._lost = None
        self._found += recovered.taken
        return [
            None if settlement.id in recovered.unsettled else Verdict.STORED
            for settlement in settlements
        ]

    async def _asked(self, question: Recover) -> Recovered | None:
        try:
            [result] = await self._line.run_all([question])
        except (UnavailableError, OutcomeUnknownError):
            return None
        if isinstance(result, UnavailableError):
            await asyncio.sleep(_REFUSED_REST_S)
            return None
        if isinstance(result, TorilError):
            raise result
        return result


def _finishes(settlements: Sequence[Settlement]) -> Iterator[list[tuple[int, Finish]]]:
    """Those that end their jobs, split where results together pass the limit."""
    chunk: list[tuple[int, Finish]] = []
    size = 0
    for place, settlement in enumerate(settlements):
        if not isinstance(settlement, Finish):
            continue
        own_size = len(settlement.text) + sum(map(len, settlement.fields))
        size += own_size
        if chunk and size > MAX_BYTES:
            yield chunk
            chunk, size = [], own_size
        chunk.append((place, settlement))
    if chunk:
        yield chunk


def _note_verdicts(answer: Answer, places: Sequence[int], result: object) -> None:
    match result:
        case list():
            for place, verdict in zip(places, result, strict=True):
                answer.verdicts[place] = verdict
        case TorilError():
            answer.error = result
        case _:
            raise UnexpectedReplyError("an exchange", result)


def _note_claims(answer: Answer, result: object) -> None:
    match result:
        case Claims():
            answer.taken = list(result.taken)
            answer.now_ms = result.now_ms
            answer.next_in_ms = result.next_in_ms
            answer.ghosts = result.ghosts
        case TorilError():
            answer.error = result
        case _:
            raise UnexpectedReplyError("an exchange", result)
