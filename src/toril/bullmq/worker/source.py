"""A BullMQ queue as the engine's source of jobs."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

import msgspec

from toril.bullmq.naming import QueueName
from toril.bullmq.operations.claim.claim import ClaimTerms, Taken
from toril.bullmq.operations.finish.settlement import Verdict
from toril.bullmq.operations.inspect.queue_exists import QueueExists
from toril.bullmq.operations.maintain.read_cancellations import ReadCancellations
from toril.bullmq.operations.maintain.reap_stalled import ReapStalled
from toril.bullmq.operations.maintain.renew import Renew
from toril.bullmq.operations.maintain.renew_unread import RenewUnread
from toril.bullmq.operations.sender import Sender
from toril.bullmq.rate_limit import RateLimit
from toril.bullmq.wire.job import JobRecord, read_job, unreadable_job
from toril.bullmq.worker.lane import MAX_BYTES, Answer, Lane
from toril.bullmq.worker.settlement import (
    DEFAULT_POLICY,
    Decision,
    Policy,
    decide,
    give_back,
    revise,
)
from toril.connection import AsyncLine, AsyncRunner, Line, Target
from toril.core.errors import (
    DeniedError,
    PermanentError,
    TorilError,
    UnavailableError,
    UndecodableError,
)
from toril.runtime.source import (
    Claimed,
    Effect,
    Exchange,
    Lease,
    Outcome,
    Reaped,
    Settled,
)
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import GhostDropped

_EXCHANGE_LANES: Final = 2
_LOOK_EVERY_S: Final = 60.0
_STARTED_TOO_OFTEN: Final = "job started more than allowable limit"
"""As BullMQ has it."""

_MAY_BE_REVISED: Final = frozenset(
    {Verdict.PENDING_CHILDREN, Verdict.FAILED_CHILDREN, Verdict.LINKED, Verdict.NO_CHILDREN}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOptions:
    """What a worker tells the queue. `worker` is unique; `worker_name` is stored with its jobs."""

    worker: str
    worker_name: str
    lock_ms: int = 30_000
    stalled_interval_ms: int = 30_000
    max_stalled: int = 3
    max_started: int | None = None
    timeout_ms: int | None = None
    by_hand: bool = False
    """Whether jobs are run by somebody who does not ask which of them were cancelled."""

    limiter: RateLimit | None = None
    metrics_minutes: int = 0
    policy: Policy = DEFAULT_POLICY


class BullSource:
    """Exchanges on lanes of their own, a doorbell, and a blocking line for renewals.

    Everything but `renew` belongs to the engine's loop. An exchange takes its lane out of `_idle`;
    claims that the engine has not been told of yet are in `_found`.
    """

    def __init__(
        self,
        name: QueueName,
        target: Target,
        runner: AsyncRunner,
        options: SourceOptions,
        emitter: Emitter,
    ) -> None:
        self._name: Final = name
        self._keys: Final = name.keys
        self._target: Final = target
        self._runner: Final = runner
        self._options: Final = options
        self._emitter: Final = emitter
        self._idle = [self._lane(f"x{number}") for number in range(_EXCHANGE_LANES)]
        self._exchange_lanes: Final = tuple(self._idle)
        self._doorbell: Final = self._lane(
            "bell", client_name=name.client_name(options.worker_name)
        )
        self._lanes: Final = (*self._exchange_lanes, self._doorbell)
        self._found: list[Claimed[JobRecord]] = []
        self._server_ahead_ms = 0
        self._looked_at = time.monotonic()
        # Made at the first renewal and used by the keeper's thread alone, until `close`.
        self._renewals: Final = Line(
            target, key=self._keys.meta, purpose="lease renewal", emitter=emitter
        )

    async def open(self) -> None:
        """Make sure that the server lets us in, and that this is the queue that is meant."""
        questions = self._name.questions or (QueueExists(keys=self._keys),)
        answers = await self._runner.run_all(questions)
        for answer in answers:
            if isinstance(answer, UnavailableError):
                raise answer
        if isinstance(answers[0], DeniedError):
            raise answers[0]
        self._name.judge(tuple(answers))
        # Its name in the server's list of clients is what makes a worker known, a busy one as well.
        await self._doorbell.open()

    async def exchange(
        self, outcomes: Sequence[Outcome[JobRecord]], want: int
    ) -> Exchange[JobRecord]:
        """Settle and claim in one round trip, on whichever lane is free."""
        lane, asked_at = self._idle.pop(), time.monotonic()
        try:
            if self._owes_answers:
                await self._recover_lost()
            now_ms = self._now_ms()
            decisions = [decide(outcome, self._options.policy, now_ms) for outcome in outcomes]
            self._heed_limits(decisions)
            answer = await self._settled(lane, decisions, want - len(self._found))
        finally:
            self._idle.append(lane)
        since = await self._leave_out_lost(asked_at)
        claimed = self._take_found()
        if answer.error and not outcomes and not claimed:
            raise answer.error
        settled = [
            _effect(decision.settled, verdict)
            for decision, verdict in zip(decisions, answer.verdicts, strict=True)
        ]
        return Exchange(settled, claimed, answer.next_in_ms, since)

    async def settle(self, outcome: Outcome[JobRecord]) -> tuple[Settled, Verdict]:
        """Store one outcome as it is: what the queue has against it is for the caller to judge.

        The effect is what it would be; the verdict says whether it is.
        """
        lane = self._idle.pop()
        try:
            if self._owes_answers:
                await self._recover_lost()
            decision = decide(outcome, self._options.policy, self._now_ms())
            as_it_is = Decision(decision.settlement, decision.settled)
            answer = await self._settled(lane, [as_it_is], 0)
        finally:
            self._idle.append(lane)
        return decision.settled, cast("Verdict", answer.verdicts[0])

    async def wait_for_work(self, want: int, timeout_ms: int) -> Exchange[JobRecord]:
        """Sleep on the marker; wake-up and claim travel together."""
        await self._look_now_and_then()
        asked_at = time.monotonic()
        answer = self._noted(await self._doorbell.wait(want, timeout_ms))
        if answer.error:
            raise answer.error
        since = await self._leave_out_lost(asked_at)
        return Exchange((), self._take_found(), answer.next_in_ms, since)

    def renew(self, leases: Sequence[Lease]) -> Sequence[Lease]:
        """Prolong the locks, from the keeper's thread."""
        [lost] = self._renewals.run_all([self._renewal(leases)])
        if isinstance(lost, TorilError):
            raise lost
        return [lease for place, lease in enumerate(leases) if place in lost]

    def renew_unread(self) -> None:
        """Prolong, from the keeper's thread, what requests have claimed that were sent long ago."""
        half_s = self._options.lock_ms / 2_000
        tokens = [token for lane in self._lanes if (token := lane.unread_token(half_s))]
        if not tokens:
            return
        lock_ms = self._options.lock_ms
        renewal = RenewUnread(keys=self._keys, tokens=tokens, lock_ms=lock_ms)
        [count] = self._renewals.run_all([renewal])
        if isinstance(count, TorilError):
            raise count

    async def reap(self) -> Reaped:
        """Put back the jobs of workers that went away."""
        stalled = await self._runner.run(
            ReapStalled(
                keys=self._keys,
                max_stalled=self._options.max_stalled,
                interval_ms=self._options.stalled_interval_ms,
            )
        )
        self._report_ghosts(stalled.ghosts)
        return Reaped(stalled.recovered, stalled.exhausted, stalled.again_in_ms)

    async def cancelled(self) -> Sequence[Lease]:
        """The notes to this worker."""
        notes = await self._runner.run(
            ReadCancellations(keys=self._keys, worker=self._options.worker)
        )
        return [Lease(*note) for note in notes]

    async def give_back(self, leases: Sequence[Lease]) -> int:
        """Return these jobs, and whatever a broken call had claimed."""
        await self._recover_lost()
        leases = [*leases, *(claimed.lease for claimed in self._take_found())]
        if not leases:
            return 0
        answer = await self._settled(
            self._exchange_lanes[0], [give_back(lease) for lease in leases], 0
        )
        return sum(verdict is Verdict.STORED for verdict in answer.verdicts)

    async def close(self) -> None:
        """Let go of every connection."""
        for lane in self._lanes:
            await lane.close()
        self._renewals.close()

    def _lane(self, part: str, client_name: str | None = None) -> Lane:
        # Who cancels a job sees by the token of its lock whether anybody can be told.
        lane = f"by-hand-{part}" if self._options.by_hand else part
        sender = Sender(self._keys, f"{self._options.worker}:{lane}")
        line = AsyncLine(
            self._target,
            key=self._keys.meta,
            purpose="doorbell" if client_name else "exchange",
            client_name=client_name,
            emitter=self._emitter,
        )
        limiter = self._options.limiter
        terms = ClaimTerms(
            max_bytes=MAX_BYTES,
            lock_ms=self._options.lock_ms,
            worker_name=self._options.worker_name,
            rate_max=limiter.max if limiter else 0,
            rate_duration_ms=limiter.duration_ms if limiter else 0,
            metrics_size=self._options.metrics_minutes,
        )
        return Lane(line, sender, terms)

    def _heed_limits(self, decisions: Sequence[Decision]) -> None:
        """Who has asked for a rest keeps to it, even in a queue without a rate limit."""
        if any(decision.settled.effect is Effect.LIMITED for decision in decisions):
            for lane in self._lanes:
                lane.terms = msgspec.structs.replace(lane.terms, heeds_limit=True)

    async def _settled(self, lane: Lane, decisions: list[Decision], want: int) -> Answer:
        """Send until every settlement has its verdict.

        What was lost on the way goes again; what the queue cannot store like this, as its decision
        is revised.
        """
        settlements = [decision.settlement for decision in decisions]
        answer = self._noted(await lane.exchange(settlements, max(want, 0)))
        while pending := self._pending(decisions, answer):
            if answer.error and None in answer.verdicts:
                raise answer.error
            going = [decisions[place].settlement for place in pending]
            again = self._noted(await lane.exchange(going, 0))
            for place, verdict in zip(pending, again.verdicts, strict=True):
                answer.verdicts[place] = verdict
            answer.error = again.error
        return answer

    def _pending(self, decisions: list[Decision], answer: Answer) -> list[int]:
        """The places of what is to be sent again, its decision revised where there is need."""
        pending: list[int] = []
        if answer.verdicts.count(Verdict.STORED) == len(answer.verdicts):
            return pending
        for place, verdict in enumerate(answer.verdicts):
            if verdict is None:
                pending.append(place)
            elif verdict in _MAY_BE_REVISED:
                revised = revise(decisions[place], verdict, self._options.policy)
                if revised is not None:
                    decisions[place] = revised
                    pending.append(place)
        return pending

    @property
    def _owes_answers(self) -> bool:
        one, other = self._exchange_lanes
        return one.owes_an_answer or other.owes_an_answer or self._doorbell.owes_an_answer

    async def _recover_lost(self) -> None:
        """Find what a call that was cancelled has claimed, on every lane that nobody uses."""
        for lane in self._lanes:
            if lane.owes_an_answer:
                self._noted(await lane.recover())

    def _take_found(self) -> list[Claimed[JobRecord]]:
        """All of them, whatever was wanted: nobody renews a lease that the engine does not know."""
        found, self._found = self._found, []
        return found

    async def _leave_out_lost(self, asked_at: float) -> float:
        """Of claims that were asked for long ago, keep those that nobody else has by now.

        Returns the moment from which on their leases certainly run.

        A process that stood still finds the answer when it goes on, and would run a job beside
        the worker that was given it since.
        """
        if not self._found or _ms_since(asked_at) < self._options.lock_ms / 2:
            return asked_at
        renewed_at = time.monotonic()
        found, self._found = self._found, []  # away from other calls, which would run them
        try:
            renewal = self._renewal([claimed.lease for claimed in found])
            [lost] = await self._runner.run_all([renewal])
            if not isinstance(lost, TorilError):
                found = [claimed for place, claimed in enumerate(found) if place not in lost]
                asked_at = renewed_at
        finally:
            self._found += found
        return asked_at

    def _renewal(self, leases: Sequence[Lease]) -> Renew:
        pairs = [(lease.job_id, lease.token) for lease in leases]
        return Renew(keys=self._keys, leases=pairs, lock_ms=self._options.lock_ms)

    def _noted(self, answer: Answer) -> Answer:
        """Keep what the answer brought, before anything can go wrong with the rest."""
        if answer.now_ms is not None:
            self._server_ahead_ms = answer.now_ms - _local_ms()
        self._report_ghosts(answer.ghosts)
        self._found += [_claim_of(taken, self._options) for taken in answer.taken]
        return answer

    def _report_ghosts(self, ghosts: Sequence[str]) -> None:
        for job_id in ghosts:
            self._emitter.emit(GhostDropped(queue=self._keys.name, job_id=job_id))

    async def _look_now_and_then(self) -> None:
        if time.monotonic() - self._looked_at > _LOOK_EVERY_S:
            self._looked_at = time.monotonic()
            await self._look_for_sibling()

    async def _look_for_sibling(self) -> None:
        self._name.judge(tuple(await self._runner.run_all(self._name.questions)))

    def _now_ms(self) -> int:
        return _local_ms() + self._server_ahead_ms


def _local_ms() -> int:
    return time.time_ns() // 1_000_000


def _ms_since(moment: float) -> float:
    return (time.monotonic() - moment) * 1_000


def _claim_of(taken: Taken, options: SourceOptions) -> Claimed[JobRecord]:
    lease = Lease(taken.id, taken.token)
    try:
        job = read_job(taken.id, taken.fields)
    except UndecodableError as error:
        return Claimed(lease, unreadable_job(taken.id, taken.fields), error)
    if job.deferred_failure is not None:
        return Claimed(lease, job, PermanentError(job.deferred_failure))
    if options.max_started is not None and job.attempts_started > options.max_started:
        return Claimed(lease, job, PermanentError(_STARTED_TOO_OFTEN))
    return Claimed(lease, job, timeout_ms=job.options.timeout_ms or options.timeout_ms)


def _effect(settled: Settled, verdict: Verdict | None) -> Settled:
    if verdict is Verdict.STORED:
        return settled
    return Settled(settled.job_id, Effect.SUPERSEDED)
