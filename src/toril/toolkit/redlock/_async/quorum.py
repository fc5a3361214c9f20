"""Several servers that know nothing of each other, asked as if they were one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Final, Self, TypeAlias, TypeVar, cast

from toril.connection.errand import Delivery
from toril.core.chance import CHANCE
from toril.core.errors import BadInputError, TorilError, UnexpectedReplyError
from toril.core.operation import Operation
from toril.telemetry.emitter import Emitter
from toril.telemetry.toolkit_redlock import QuorumMissed
from toril.toolkit._async.client import AsyncClient
from toril.toolkit.errors import QuorumImpossibleError
from toril.toolkit.leases.claim import Busy, Granted
from toril.toolkit.locks.operations.acquire import Acquire
from toril.toolkit.locks.operations.give_up import GiveUp
from toril.toolkit.locks.operations.renew import Renew
from toril.toolkit.redlock._async.together import together
from toril.toolkit.redlock.operations.identify import Identify, Identity
from toril.toolkit.redlock.rules import (
    Ballot,
    Probation,
    Vote,
    majority_of,
    on_probation,
    refuse_twins,
    unfitness,
    verdict,
)

R = TypeVar("R")

Answer: TypeAlias = Identity | Granted | Busy | TorilError

_PAUSE_MS: Final = (20, 100)
"""Those who took servers from each other try again, at different times."""


class AsyncQuorum:
    """Runs operations of one lock on all of its servers at once, and counts their votes.

    Each server is waited for as long as its client waits. One that was restarted has no vote
    before `longest_ms` are over.
    """

    def __init__(
        self, name: str, clients: Sequence[AsyncClient], *, longest_ms: int, emitter: Emitter
    ) -> None:
        self.emitter: Final = emitter
        self._name: Final = name
        self._longest_ms: Final = longest_ms
        self._clients: Final = {client.target.label: client for client in clients}
        self._probations: Final = {server: Probation(longest_ms / 1000) for server in self._clients}
        self._missing: frozenset[str] = frozenset()

    async def run(self, operation: Operation[R], /, *, within_ms: int | None = None) -> R:
        """What a majority says.

        Raises:
            UnavailableError: too few have answered to know.
            QuorumImpossibleError: too few are what they must be for there to be a majority, ever.
            BadInputError: it would last longer than a server that was restarted has no vote.
        """
        if isinstance(operation, Renew) and operation.ttl_ms > self._longest_ms:
            raise BadInputError(
                "ttl", f"{operation.ttl_ms} ms is more than max_ttl, {self._longest_ms} ms"
            )
        [result] = await self.run_all((operation,), within_ms=within_ms)
        if isinstance(result, TorilError):
            raise result
        return result

    async def deliver(self, operation: Operation[R], delivery: Delivery, /) -> R:
        """Run an acquisition, and note whether any server may get it late; replicas do not count.

        Raises:
            QuorumImpossibleError: too few are what they must be for there to be a majority, ever.
        """
        assert isinstance(operation, Acquire)  # noqa: S101 - nothing else is asked of claims
        return cast("R", await self._acquire(operation, delivery))

    async def run_all(
        self, operations: Sequence[Operation[R]], *, within_ms: int | None = None
    ) -> list[R | TorilError]:
        """What the majorities say to these, none of them an acquisition."""
        said = await self._ask(operations, self._clients, within_ms)
        verdicts = [verdict(answers) for answers in zip(*said.values(), strict=True)]
        return cast("list[R | TorilError]", verdicts)

    async def close(self) -> None:
        """Let go of the connections that are not shared."""
        for client in self._clients.values():
            await client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _acquire(self, acquisition: Acquire, delivery: Delivery) -> Granted | Busy:
        ballot = Ballot(await self._vote(acquisition, self._clients, delivery))
        largest = ballot.largest_fence
        if ballot.is_won and ballot.common_fence < largest:
            # Raised to the largest, so that no later majority grants one below it; silent servers
            # are not waited for again.
            raised = replace(acquisition, least_fence=largest)
            ballot = Ballot({**ballot.votes, **await self._vote(raised, ballot.granting, delivery)})
        if ballot.is_won and ballot.common_fence >= largest:
            self._missing = frozenset()
            return Granted(ballot.common_fence)
        # What a minority has granted keeps others out. Servers that do not hear it now are told by
        # whoever gives the claim up if this was its last attempt; else they forget it when the
        # lease ends.
        given_up = _given_up(acquisition, in_doubt=delivery.was_lost)
        await self._ask((given_up,), self._clients)
        if ballot.is_hopeless:
            raise QuorumImpossibleError(self._name, ballot.problems)
        self._tell(ballot)
        return Busy(CHANCE.randint(*_PAUSE_MS))

    async def _vote(
        self, acquisition: Acquire, servers: Iterable[str], delivery: Delivery
    ) -> Mapping[str, Vote]:
        # The answers of one server come by one connection: they are of one run of it.
        questions = (Identify(acquisition.keys.lock), acquisition)
        said = await self._ask(questions, servers, delivery=delivery)
        now = monotonic()
        votes = {server: self._vote_of(server, answers, now) for server, answers in said.items()}
        refuse_twins({server: answers[0] for server, answers in said.items()}, votes)
        return votes

    def _vote_of(self, server: str, answers: Sequence[Answer], now: float) -> Vote:
        match answers:
            case [Identity() as identity, Granted() | Busy() | TorilError() as vote]:
                if fault := unfitness(server, identity):
                    return fault
                left_s = self._probations[server].left_s(identity, now)
                return on_probation(server, left_s) if left_s else vote
            case [TorilError() as problem, _]:
                return problem
            case _:
                raise UnexpectedReplyError("identify", answers)

    async def _ask(
        self,
        operations: Sequence[Operation[R]],
        servers: Iterable[str],
        within_ms: int | None = None,
        delivery: Delivery | None = None,
    ) -> Mapping[str, Sequence[R | TorilError]]:
        asked = list(servers)
        calls = [
            partial(
                self._clients[server].run_all, operations, within_ms=within_ms, delivery=delivery
            )
            for server in asked
        ]
        return dict(zip(asked, await together(calls), strict=True))

    def _tell(self, ballot: Ballot) -> None:
        missing = frozenset(ballot.problems)
        # Whoever waits asks many times a second: what has not changed is no news.
        if missing and missing != self._missing:
            self._missing = missing
            self.emitter.emit(
                QuorumMissed(
                    subject=self._name,
                    granted=len(ballot.fences),
                    needed=majority_of(len(ballot.votes)),
                    problems=tuple(map(str, ballot.problems.values())),
                )
            )


def _given_up(acquisition: Acquire, *, in_doubt: bool) -> GiveUp:
    return GiveUp(
        keys=acquisition.keys,
        token=acquisition.token,
        member=acquisition.member,
        in_doubt=in_doubt,
    )
