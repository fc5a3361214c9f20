"""One connection of a worker, one request in flight, and the certainty about what it did.

A request that is lost on the way, with its reply or by being cancelled, is first forbidden and
then asked about: what it claimed is found by its token, what it settled by the locks that are
gone. Until that is answered the lane sends nothing else.
"""

import asyncio
import time
from collections.abc import Awaitable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeVar

from toril.bullmq.operations.claim.claim import Claim, Claims, ClaimTerms, Taken
from toril.bullmq.operations.claim.recover import Recover, Recovered
from toril.bullmq.operations.claim.wait_marker import WaitMarker
from toril.bullmq.operations.finish.await_children import AwaitChildren
from toril.bullmq.operations.finish.finish_jobs import CLAIMS_NOTHING, Finished, FinishJobs
from toril.bullmq.operations.finish.finish_linked import FinishLinked
from toril.bullmq.operations.finish.return_jobs import ReturnJobs
from toril.bullmq.operations.finish.settlement import (
    Finish,
    Return,
    Settlement,
    Verdict,
    Wait,
)
from toril.bullmq.operations.sender import Sender
from toril.connection import AsyncLine
from toril.core.errors import (
    OutcomeUnknownError,
    TorilError,
    UnavailableError,
    UnexpectedReplyError,
)

R = TypeVar("R")

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


class _Part(NamedTuple):
    """A request of an exchange, and the places there of what it settles."""

    operation: FinishJobs | FinishLinked | ReturnJobs | AwaitChildren | Claim
    places: Sequence[int] = ()


class _AskedAbout(NamedTuple):
    """What a request whose reply was lost has turned out to have settled."""

    verdicts: list[Verdict | None]


class Lane:
    """Sends exchanges one after another; `terms` hold for the claims that are sent from now on."""

    def __init__(self, line: AsyncLine, sender: Sender, terms: ClaimTerms) -> None:
        self._line: Final = line
        self._sender: Final = sender
        self.terms = terms
        self._sequence = 0
        # What the request under way is to settle; stays when it was lost, until somebody has asked.
        self._owed: Sequence[Settlement] | None = None
        self._is_in_flight = False
        self._sent_at = 0.0
        # Claims of lost requests, until an answer takes them along.
        self._found: list[Taken] = []
        # Held by whoever asks about a lost request, and by whoever must not send meanwhile.
        self._asking: Final = asyncio.Lock()

    @property
    def owes_an_answer(self) -> bool:
        """Whether a request was lost that nobody has asked about, or brought what nobody took."""
        return not self._is_in_flight and (self._owed is not None or bool(self._found))

    def unread_token(self, for_s: float) -> str | None:
        """What opens the locks of what the request under way claims, if it was sent so long ago.

        For any thread; one that comes a moment late finds the token of a request that is over.
        """
        if not self._is_in_flight or time.monotonic() - self._sent_at < for_s:
            return None
        return self._sender.token(self._sequence)

    async def open(self) -> None:
        """Connect now rather than at the first request.

        Raises:
            UnavailableError: The server could not be reached.
        """
        await self._line.connect()

    async def exchange(self, settlements: Sequence[Settlement], want: int) -> Answer:
        """Settle, then claim, in one round trip.

        Raises:
            UnavailableError: Nothing was done.
        """
        if self._owed is not None or self._found or self._asking.locked():
            await self._ask_about_lost()
        parts = self._parts(settlements, want)
        results = await self._sent(
            self._line.run_all([one.operation for one in parts]), settlements
        )
        if isinstance(results, _AskedAbout):
            return self._with_found(Answer(results.verdicts))
        answer = Answer([None] * len(settlements))
        for part, result in zip(parts, results, strict=True):
            _note(answer, part.places, result)
        return self._with_found(answer)

    async def wait(self, want: int, timeout_ms: int) -> Answer:
        """Sleep until there may be work, then claim.

        Raises:
            UnavailableError: Nothing was done.
        """
        if self._owed is not None or self._found or self._asking.locked():
            await self._ask_about_lost()
        answer = Answer()
        if not self._found:
            claim = self._claim(want)
            marker = WaitMarker(keys=self._sender.keys, block_ms=timeout_ms)
            results = await self._sent(self._line.read(marker, (claim,)), ())
            if not isinstance(results, _AskedAbout):
                _note(answer, (), results[1][0])
        return self._with_found(answer)

    async def recover(self) -> Answer:
        """Learn what became of a request that was lost; whoever is using the lane does it too."""
        if not self.owes_an_answer:
            return Answer()
        await self._ask_about_lost()
        return self._with_found(Answer())

    def abort(self) -> None:
        """Break the call that is under way."""
        self._line.abort()

    async def close(self) -> None:
        """Let go of the connection."""
        await self._line.close()

    async def _sent(self, call: Awaitable[R], settlements: Sequence[Settlement]) -> R | _AskedAbout:
        """Send one request, and ask about it when its reply is lost."""
        self._owed, self._sent_at, self._is_in_flight = settlements, time.monotonic(), True
        try:
            results = await call
        except UnavailableError:
            self._owed = None
            raise
        except OutcomeUnknownError:
            return _AskedAbout(await self._after_loss(settlements))
        finally:
            self._is_in_flight = False
        self._owed = None
        return results

    def _parts(self, settlements: Sequence[Settlement], want: int) -> list[_Part]:
        """What returns, what waits, what others hear of, then what ends; the last part claims.

        Split where results are large.
        """
        returns: list[tuple[int, Return]] = []
        waits: list[tuple[int, Wait]] = []
        linked: list[tuple[int, Finish]] = []
        ends: list[tuple[int, Finish]] = []
        for place, one in enumerate(settlements):
            if isinstance(one, Finish):
                (linked if one.is_linked else ends).append((place, one))
            elif isinstance(one, Return):
                returns.append((place, one))
            else:
                waits.append((place, one))
        parts = []
        if returns:
            parts.append(self._return(returns))
        if waits:
            parts.append(self._await_children(waits))
        if linked:
            parts += [self._finish_linked(chunk, want) for chunk in _chunks(linked)]
        if ends:
            *earlier, last = _chunks(ends)
            parts += [self._finish(chunk, CLAIMS_NOTHING) for chunk in earlier]
            parts.append(self._finish(last, want))
        else:
            parts.append(_Part(self._claim(want)))
        return parts

    def _return(self, going: Sequence[tuple[int, Return]]) -> _Part:
        operation = ReturnJobs(
            sender=self._sender, sequence=self._next(), returns=[one for _, one in going]
        )
        return _Part(operation, [place for place, _ in going])

    def _await_children(self, waits: Sequence[tuple[int, Wait]]) -> _Part:
        operation = AwaitChildren(
            sender=self._sender, sequence=self._next(), waits=[one for _, one in waits]
        )
        return _Part(operation, [place for place, _ in waits])

    def _finish_linked(self, chunk: Sequence[tuple[int, Finish]], want: int) -> _Part:
        operation = FinishLinked(
            sender=self._sender,
            sequence=self._next(),
            finishes=[finish for _, finish in chunk],
            want=want,
            terms=self.terms,
        )
        return _Part(operation, [place for place, _ in chunk])

    def _finish(self, chunk: Sequence[tuple[int, Finish]], want: int) -> _Part:
        operation = FinishJobs(
            sender=self._sender,
            sequence=self._next(),
            finishes=[finish for _, finish in chunk],
            want=want,
            terms=self.terms,
        )
        return _Part(operation, [place for place, _ in chunk])

    def _claim(self, want: int) -> Claim:
        return Claim(sender=self._sender, sequence=self._next(), want=want, terms=self.terms)

    def _next(self) -> int:
        self._sequence += 1
        return self._sequence

    def _with_found(self, answer: Answer) -> Answer:
        if self._found:
            answer.taken = [*self._found, *answer.taken]
            self._found = []
        return answer

    async def _ask_about_lost(self) -> None:
        async with self._asking:
            if self._owed is not None:
                await self._after_loss(self._owed)

    async def _after_loss(self, settlements: Sequence[Settlement]) -> list[Verdict | None]:
        """Ask until there is an answer; the line rests between attempts, longer each time."""
        question = Recover(
            sender=self._sender,
            sequence=self._sequence,
            leases=[(settlement.id, settlement.token) for settlement in settlements],
        )
        while (recovered := await self._asked(question)) is None:
            pass
        self._owed = None
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


def _chunks(ends: Sequence[tuple[int, Finish]]) -> Iterator[list[tuple[int, Finish]]]:
    """Split where results together pass the limit."""
    chunk: list[tuple[int, Finish]] = []
    size = 0
    for place, end in ends:
        own_size = len(end.text) + sum(map(len, end.fields))
        size += own_size
        if chunk and size > MAX_BYTES:
            yield chunk
            chunk, size = [], own_size
        chunk.append((place, end))
    yield chunk


def _note(answer: Answer, places: Sequence[int], result: object) -> None:
    match result:
        case Finished():
            _note_verdicts(answer, places, result.verdicts)
            _note_claims(answer, result.claims)
        case Claims():
            _note_claims(answer, result)
        case list():
            _note_verdicts(answer, places, result)
        case TorilError():
            answer.error = result
        case _:
            raise UnexpectedReplyError("an exchange", result)


def _note_verdicts(answer: Answer, places: Sequence[int], verdicts: Sequence[Verdict]) -> None:
    for place, verdict in zip(places, verdicts, strict=True):
        answer.verdicts[place] = verdict


def _note_claims(answer: Answer, claims: Claims) -> None:
    answer.taken += claims.taken
    answer.now_ms = claims.now_ms
    answer.next_in_ms = claims.next_in_ms
    answer.ghosts = [*answer.ghosts, *claims.ghosts]
