"""Random histories of a queue on a real server agree with a small pure model of it."""

import bisect
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import pytest
import redis
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test
from tests.lua.sending import send
from tests.support.keyspace import check

from toril.bullmq.operations.add.add_jobs import Added, AddJobs, NewJob
from toril.bullmq.operations.claim.claim import Claim, Claims, ClaimTerms
from toril.bullmq.operations.claim.recover import Recover, Recovered
from toril.bullmq.operations.finish.finish_jobs import CLAIMS_NOTHING, Finished, FinishJobs
from toril.bullmq.operations.finish.return_jobs import ReturnJobs
from toril.bullmq.operations.finish.settlement import Finish, Return, Verdict
from toril.bullmq.operations.inspect.counts import CountJobs, Counts
from toril.bullmq.operations.sender import Sender
from toril.bullmq.wire.keys import QueueKeys
from toril.bullmq.wire.options import KeepRule
from toril.core.operation import Operation

KEYS: Final = QueueKeys("bull", "{property}")
OPTS: Final = json.dumps({"attempts": 1_000})
TERMS: Final = ClaimTerms(max_bytes=10**6, lock_ms=60_000)


@dataclass
class Model:
    """A queue as it should be: who waits where, in which order, and who runs."""

    now_ms: int = 1_700_000_000_000
    last_id: int = 0
    arrivals: int = 0
    known: dict[str, int] = field(default_factory=dict)
    """Every job that exists, with its priority."""
    wait: list[str] = field(default_factory=list)
    """The first is next."""
    prioritized: list[tuple[int, int, str]] = field(default_factory=list)
    delayed: list[tuple[int, int, str]] = field(default_factory=list)
    active: dict[str, str] = field(default_factory=dict)
    """Every job that runs, with the token of its lock."""
    completed: list[tuple[int, str]] = field(default_factory=list)
    failed: list[tuple[int, str]] = field(default_factory=list)

    def add(self, job: NewJob) -> Added:
        self.last_id += 1
        job_id = job.id or str(self.last_id)
        if job_id in self.known:
            return Added(job_id, self.now_ms, created=False)
        self.known[job_id] = job.priority
        if job.delay_ms:
            self.put_off(job_id, job.delay_ms)
        else:
            self.make_ready(job_id, is_next=job.lifo)
        return Added(job_id, self.now_ms, created=True)

    def claim(self, want: int, token: str) -> list[str]:
        self.promote()
        claimed = [*self.wait, *(job_id for *_, job_id in self.prioritized)][:want]
        for job_id in claimed:
            self.leave(job_id)
            self.active[job_id] = token
        return claimed

    def finish(self, job_id: str, kind: str, keep: int) -> None:
        del self.active[job_id]
        ended = self.completed if kind == "completed" else self.failed
        if keep == 0:
            del self.known[job_id]
            return
        bisect.insort(ended, (self.now_ms, job_id))
        while 0 < keep < len(ended):
            del self.known[ended.pop(0)[1]]

    def give_back(self, job_id: str) -> None:
        del self.active[job_id]
        if priority := self.known[job_id]:
            bisect.insort(self.prioritized, (priority, 0, job_id))
        else:
            self.wait.insert(0, job_id)

    def retry(self, job_id: str, *, is_next: bool) -> None:
        del self.active[job_id]
        self.make_ready(job_id, is_next=is_next)

    def delay(self, job_id: str, delay_ms: int) -> None:
        del self.active[job_id]
        self.put_off(job_id, delay_ms)

    def promote(self) -> None:
        while self.delayed and self.delayed[0][0] <= self.now_ms:
            self.make_ready(self.delayed.pop(0)[2], is_next=False)

    def make_ready(self, job_id: str, *, is_next: bool) -> None:
        if priority := self.known[job_id]:
            self.arrivals += 1
            bisect.insort(self.prioritized, (priority, self.arrivals, job_id))
        else:
            self.wait.insert(0 if is_next else len(self.wait), job_id)

    def put_off(self, job_id: str, delay_ms: int) -> None:
        due_ms = self.now_ms + delay_ms
        after = [order for due, order, _ in self.delayed if due == due_ms]
        bisect.insort(self.delayed, (due_ms, max(after, default=-1) + 1, job_id))

    def leave(self, job_id: str) -> None:
        if job_id in self.wait:
            self.wait.remove(job_id)
        self.prioritized = [entry for entry in self.prioritized if entry[2] != job_id]

    @property
    def counts(self) -> Counts:
        return Counts(
            waiting=len(self.wait),
            paused=0,
            active=len(self.active),
            prioritized=len(self.prioritized),
            delayed=len(self.delayed),
            waiting_children=0,
            completed=len(self.completed),
            failed=len(self.failed),
        )


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
    """The same is done to the server and to the model."""

    client: redis.Redis

    def __init__(self) -> None:
        super().__init__()
        self.client.flushall()
        self.model = Model()
        self.sender = Sender(KEYS, "worker")
        self.sequence = 0

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

    @precondition(lambda self: self.model.active)
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
            for job_id in self.running(picks)
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

    @precondition(lambda self: self.model.active)
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
            for job_id, kind in zip(self.running(picks), kinds, strict=False)
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
        assert self.listed("wait") == self.model.wait[::-1]
        assert sorted(self.listed("active")) == sorted(self.model.active)
        assert self.ranked("prioritized") == [job_id for *_, job_id in self.model.prioritized]
        assert self.ranked("delayed") == [job_id for *_, job_id in self.model.delayed]
        assert self.ranked("completed") == [job_id for _, job_id in self.model.completed]
        assert self.ranked("failed") == [job_id for _, job_id in self.model.failed]
        at_rest = not self.model.active
        assert check(self.client, KEYS.prefix, KEYS.name, at_rest=at_rest) == []

    def next(self) -> int:
        self.sequence += 1
        return self.sequence

    def running(self, picks: Sequence[int]) -> list[str]:
        """Some of the jobs that run, each once."""
        active = sorted(self.model.active)
        return list(dict.fromkeys(active[pick % len(active)] for pick in picks))

    def send(self, operation: Operation[object]) -> object:
        return send(self.client, operation)

    def listed(self, part: str) -> list[str]:
        return [raw.decode() for raw in self.client.lrange(KEYS.base + part, 0, -1)]

    def ranked(self, part: str) -> list[str]:
        return [raw.decode() for raw in self.client.zrange(KEYS.base + part, 0, -1)]


@pytest.mark.timeout(180)  # a history that disagrees takes its time to become short
def test_a_queue_is_what_its_history_says(redis_client: redis.Redis) -> None:
    QueueHistory.client = redis_client

    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        QueueHistory, settings=settings(max_examples=50, stateful_step_count=30, deadline=None)
    )
