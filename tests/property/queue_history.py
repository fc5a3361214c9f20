"""The same is done to a queue on a real server and to a model of it: add, take, settle."""

import json
from collections.abc import Sequence
from typing import Final

import redis
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule
from tests.lua.sending import send
from tests.property.queue_model import MovingModel
from tests.support.keyspace import check

from toril.bullmq.operations.add.add_jobs import AddJobs, NewJob
from toril.bullmq.operations.claim.claim import Claim, Claims, ClaimTerms
from toril.bullmq.operations.claim.recover import Recover, Recovered
from toril.bullmq.operations.finish.finish_jobs import CLAIMS_NOTHING, Finished, FinishJobs
from toril.bullmq.operations.finish.return_jobs import ReturnJobs
from toril.bullmq.operations.finish.settlement import Finish, Return, Verdict
from toril.bullmq.operations.inspect.counts import CountJobs
from toril.bullmq.operations.sender import Sender
from toril.bullmq.wire.keys import QueueKeys
from toril.bullmq.wire.options import KeepRule
from toril.core.operation import Operation

KEYS: Final = QueueKeys("bull", "{property}")
OPTS: Final = json.dumps({"attempts": 1_000})
TERMS: Final = ClaimTerms(max_bytes=10**6, lock_ms=60_000)


new_jobs = st.builds(
    NewJob,
    id=st.sampled_from(["", "", "", "a", "b", "c"]),
    name=st.just("n"),
    data=st.just("null"),
    opts=st.just(OPTS),
    delay_ms=st.sampled_from([0, 0, 0, 1, 10, 1_000]),
    priority=st.sampled_from([0, 0, 1, 2, 2**21 - 1]),
    lifo=st.booleans(),
)
some_of_them = st.lists(st.integers(0, 30), min_size=1, max_size=5)


class QueueHistory(RuleBasedStateMachine):
    """What every queue lives through."""

    client: redis.Redis

    def __init__(self) -> None:
        super().__init__()
        self.client.flushall()
        self.model = MovingModel()
        self.sender = Sender(KEYS, "worker")
        self.sequence = 0
        self.forgiven: set[str] = set()
        """Laws that this history may break."""

    @rule(jobs=st.lists(new_jobs, min_size=1, max_size=6), is_repeated=st.booleans())
    def add(self, jobs: list[NewJob], *, is_repeated: bool) -> None:
        operation = AddJobs(
            keys=KEYS,
            producer="producer",
            sequence=self.next(),
            jobs=jobs,
            clock_ms=self.model.now_ms,
        )
        expected = [self.model.add(job) for job in jobs]

        assert self.send(operation) == expected
        if is_repeated:
            assert self.send(operation) == expected

    @rule(want=st.integers(0, 6), is_lost=st.booleans())
    def claim(self, want: int, *, is_lost: bool) -> None:
        sequence = self.next()
        token = self.sender.token(sequence)
        operation = Claim(
            sender=self.sender,
            sequence=sequence,
            want=want,
            terms=TERMS,
            clock_ms=self.model.now_ms,
        )
        expected = self.model.claim(want, token)

        claims = self.send(operation)
        assert isinstance(claims, Claims)
        assert [job.id for job in claims.taken] == expected
        if is_lost:
            recovered = self.send(Recover(sender=self.sender, sequence=sequence, leases=[]))
            assert isinstance(recovered, Recovered)
            assert sorted(job.id for job in recovered.taken) == sorted(expected)

    @precondition(lambda self: self.running)
    @rule(
        picks=some_of_them,
        kind=st.sampled_from(["completed", "failed"]),
        keep=st.sampled_from([-1, -1, 0, 1, 3]),
        want=st.integers(CLAIMS_NOTHING, 3),
    )
    def finish(self, picks: list[int], kind: str, keep: int, want: int) -> None:
        sequence = self.next()
        finishes = [
            Finish(
                id=job_id,
                token=self.model.active[job_id],
                kind=kind,  # type: ignore[arg-type]
                text='"done"',
                keep=KeepRule(count=keep),
                attempts=1_000,
            )
            for job_id in self.some_of(self.running, picks)
        ]
        operation = FinishJobs(
            sender=self.sender,
            sequence=sequence,
            finishes=finishes,
            want=want,
            terms=TERMS,
            clock_ms=self.model.now_ms,
        )
        for finish in finishes:
            self.model.finish(finish.id, kind, keep)
        token = self.sender.token(sequence)
        expected = [] if want == CLAIMS_NOTHING else self.model.claim(want, token)

        finished = self.send(operation)
        assert isinstance(finished, Finished)
        assert finished.verdicts == [Verdict.STORED] * len(finishes)
        assert [job.id for job in finished.claims.taken] == expected

    @precondition(lambda self: self.running)
    @rule(
        picks=some_of_them,
        kinds=st.lists(st.sampled_from(["retry", "delay", "give_back"]), min_size=5, max_size=5),
        delay_ms=st.sampled_from([0, 1, 500]),
        lifo=st.booleans(),
    )
    def put_back(self, picks: list[int], kinds: list[str], delay_ms: int, *, lifo: bool) -> None:
        returns = [
            Return(
                id=job_id,
                token=self.model.active[job_id],
                kind=kind,  # type: ignore[arg-type]
                delay_ms=delay_ms,
                lifo=lifo,
                counts=kind == "retry",
            )
            for job_id, kind in zip(self.some_of(self.running, picks), kinds, strict=False)
        ]
        operation = ReturnJobs(
            sender=self.sender,
            sequence=self.next(),
            returns=returns,
            clock_ms=self.model.now_ms,
        )
        self.put_back_in_model(returns)

        assert self.send(operation) == [Verdict.STORED] * len(returns)

    def put_back_in_model(self, returns: Sequence[Return]) -> None:
        has_promoted = False
        for going in returns:
            match going.kind:
                case "give_back":
                    self.model.give_back(going.id)
                case "delay":
                    self.model.delay(going.id, going.delay_ms)
                case _:
                    if not has_promoted:
                        self.model.promote()
                    has_promoted = True
                    self.model.retry(going.id, is_next=going.lifo)

    @precondition(lambda self: self.model.known)
    @rule(token=st.sampled_from(["", "worker:0", "somebody else"]))
    def a_stranger_settles_nothing(self, token: str) -> None:
        job_id = next(iter(self.model.known))
        operation = FinishJobs(
            sender=Sender(KEYS, "stranger"),
            sequence=1,
            finishes=[
                Finish(id=job_id, token=token, kind="completed", text="1"),
                Finish(id="nobody", token=token, kind="completed", text="1"),
            ],
            want=CLAIMS_NOTHING,
            terms=TERMS,
        )

        finished = self.send(operation)
        assert isinstance(finished, Finished)
        assert finished.verdicts == [Verdict.LOCK_LOST, Verdict.MISSING]

    @rule(ms=st.sampled_from([1, 10, 1_000]))
    def time_passes(self, ms: int) -> None:
        self.model.now_ms += ms

    def teardown(self) -> None:
        assert self.send(CountJobs(keys=KEYS)) == self.model.counts
        waits_in, other = ("paused", "wait") if self.model.is_paused else ("wait", "paused")
        assert self.listed(waits_in) == self.model.wait[::-1]
        assert self.listed(other) == []
        assert sorted(self.listed("active")) == sorted(self.model.active)
        assert self.ranked("prioritized") == [job_id for *_, job_id in self.model.prioritized]
        assert self.ranked("delayed") == [job_id for *_, job_id in self.model.delayed]
        assert self.ranked("completed") == [job_id for _, job_id in self.model.completed]
        assert self.ranked("failed") == [job_id for _, job_id in self.model.failed]
        for job_id in self.model.known:
            counters = (self.model.starts, self.model.attempts, self.model.losses)
            stored = [int(number or 0) for number in self.counters(job_id)]
            assert stored == [counter[job_id] for counter in counters], job_id
        at_rest, ignoring = not self.model.active, list(self.forgiven)
        if self.model.lost:
            ignoring.append("I5")
        found = check(self.client, KEYS.prefix, KEYS.name, at_rest=at_rest, ignoring=ignoring)
        assert found == []

    def next(self) -> int:
        self.sequence += 1
        return self.sequence

    @property
    def running(self) -> list[str]:
        """Jobs whose worker lives."""
        return sorted(self.model.active.keys() - self.model.lost)

    def some_of(self, ids: Sequence[str], picks: Sequence[int]) -> list[str]:
        """Each once."""
        return list(dict.fromkeys(ids[pick % len(ids)] for pick in picks))

    def send(self, operation: Operation[object]) -> object:
        return send(self.client, operation)

    def listed(self, part: str) -> list[str]:
        return [raw.decode() for raw in self.client.lrange(KEYS.base + part, 0, -1)]

    def counters(self, job_id: str) -> list[bytes | None]:
        return self.client.hmget(KEYS.job(job_id), "ats", "atm", "stc")

    def ranked(self, part: str) -> list[str]:
        return [raw.decode() for raw in self.client.zrange(KEYS.base + part, 0, -1)]
