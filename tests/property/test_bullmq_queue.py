"""Random histories of a queue on a real server agree with a small pure model of it."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import pytest
import redis
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule, run_state_machine_as_test
from tests.property.queue_history import KEYS, TERMS, QueueHistory, some_of_them

from toril.bullmq.operations.clear.clean_jobs import CleanJobs
from toril.bullmq.operations.clear.drain_jobs import DrainJobs
from toril.bullmq.operations.finish.finish_jobs import CLAIMS_NOTHING, Finished, FinishJobs
from toril.bullmq.operations.finish.settlement import Finish, Verdict
from toril.bullmq.operations.maintain.pause import Pause
from toril.bullmq.operations.maintain.reap_stalled import ReapStalled, StalledJobs
from toril.bullmq.operations.maintain.renew import Renew
from toril.bullmq.operations.maintain.resume import Resume
from toril.bullmq.operations.move.batch import Moved
from toril.bullmq.operations.move.change_delay import ChangeDelay
from toril.bullmq.operations.move.change_priority import ChangePriority
from toril.bullmq.operations.move.promote_job import PromoteJob
from toril.bullmq.operations.move.promote_jobs import PromoteJobs
from toril.bullmq.operations.move.remove_job import Locked, Removed, RemoveJob
from toril.bullmq.operations.move.retry_job import RetryJob
from toril.bullmq.operations.move.retry_jobs import RetryJobs

Kind: TypeAlias = Literal["failed", "completed"]

anybody = st.integers(0, 40)
kinds = st.sampled_from(["failed", "completed"])
counts = st.integers(1, 4)


class MovedHistory(QueueHistory):
    """And what people and dying workers do to it besides."""

    def __init__(self) -> None:
        super().__init__()
        self.old_leases: list[tuple[str, str]] = []

    @rule(stays_paused=st.sampled_from([False, False, True]))
    def pause(self, *, stays_paused: bool) -> None:
        self.send(Pause(keys=KEYS))
        if not stays_paused:
            self.send(Resume(keys=KEYS))
        self.model.is_paused = stays_paused

    @rule(pick=anybody)
    def promote_one(self, pick: int) -> None:
        job_id = self.anybody(pick)
        is_moved = self.send(PromoteJob(keys=KEYS, job_id=job_id)) is None

        assert is_moved == self.model.promote_one(job_id)

    @rule(count=counts)
    def promote_some(self, count: int) -> None:
        moved = self.model.promote_some(count)

        assert self.send(PromoteJobs(keys=KEYS, count=count)) == Moved(moved, moved)

    @rule(pick=anybody, delay_ms=st.sampled_from([0, 1, 500]))
    def change_delay(self, pick: int, delay_ms: int) -> None:
        job_id, now_ms = self.anybody(pick), self.model.now_ms
        change = ChangeDelay(keys=KEYS, job_id=job_id, delay_ms=delay_ms, clock_ms=now_ms)
        is_moved = self.send(change) is None

        assert is_moved == self.model.change_delay(job_id, delay_ms)

    @rule(pick=anybody, priority=st.sampled_from([0, 1, 2, 2**21 - 1]), lifo=st.booleans())
    def change_priority(self, pick: int, priority: int, *, lifo: bool) -> None:
        job_id = self.anybody(pick)
        change = ChangePriority(keys=KEYS, job_id=job_id, priority=priority, lifo=lifo)
        is_moved = self.send(change) is None

        assert is_moved == self.model.change_priority(job_id, priority, is_first=lifo)

    @rule(pick=anybody, anew=st.booleans())
    def run_again(self, pick: int, *, anew: bool) -> None:
        job_id = self.anybody(pick)
        is_moved = self.send(RetryJob(keys=KEYS, job_id=job_id, anew=anew)) is None

        assert is_moved == self.model.run_again(job_id, anew=anew)

    @rule(kind=kinds, count=counts, ago_ms=st.sampled_from([0, 5]))
    def run_some_again(self, kind: Kind, count: int, ago_ms: int) -> None:
        until_ms = self.model.now_ms - ago_ms
        moved = self.model.run_some_again(kind, until_ms, count)
        again = RetryJobs(keys=KEYS, kind=kind, until_ms=until_ms, count=count)

        assert self.send(again) == Moved(moved, moved)

    @rule(pick=anybody)
    def remove(self, pick: int) -> None:
        job_id = self.anybody(pick)
        removal = self.send(RemoveJob(keys=KEYS, job_id=job_id, with_children=True))
        removed = self.model.remove(job_id)

        assert removal == (Locked(KEYS.job(job_id)) if removed is None else Removed(removed))

    @rule(count=st.integers(1, 12), delayed=st.booleans())
    def drain(self, count: int, *, delayed: bool) -> None:
        # Nobody is told which jobs went, and one with such an id may come again.
        self.forgiven.add("I29")
        removed = self.send(DrainJobs(keys=KEYS, delayed=delayed, count=count))

        assert removed == self.model.drain(count, delayed=delayed)

    @rule(kind=kinds, count=counts)
    def clean(self, kind: Kind, count: int) -> None:
        now_ms = self.model.now_ms
        self.forgiven.add("I29")
        operation = CleanJobs(keys=KEYS, place=kind, grace_ms=0, count=count, clock_ms=now_ms)

        assert getattr(self.send(operation), "ids", None) == self.model.clean(kind, count)

    @precondition(lambda self: self.running)
    @rule(picks=some_of_them)
    def workers_go_away(self, picks: Sequence[int]) -> None:
        for job_id in self.some_of(self.running, picks):
            self.client.delete(f"{KEYS.job(job_id)}:lock")
            self.model.lost.add(job_id)
            self.old_leases.append((job_id, self.model.active[job_id]))

    @precondition(lambda self: self.model.active)
    @rule(has_just_looked=st.booleans())
    def look_for_stalls(self, *, has_just_looked: bool) -> None:
        if not has_just_looked:
            self.client.delete(KEYS.stalled_check)
        elif not self.client.exists(KEYS.stalled_check):
            return
        look = ReapStalled(keys=KEYS, max_stalled=1_000, interval_ms=60_000)
        found = self.send(look)
        assert isinstance(found, StalledJobs)
        assert (found.exhausted, found.ghosts) == ([], [])
        if has_just_looked:
            assert found.recovered == []
        else:
            assert set(found.recovered) == self.model.stalled()
            self.model.put_back(found.recovered)

    @precondition(lambda self: self.model.active)
    @rule(picks=some_of_them)
    def renew(self, picks: Sequence[int]) -> None:
        ids = self.some_of(sorted(self.model.active), picks)
        leases = [(job_id, self.model.active[job_id]) for job_id in ids]
        gone = {place for place, job_id in enumerate(ids) if job_id in self.model.lost}
        self.model.suspects -= set(ids) - self.model.lost

        assert self.send(Renew(keys=KEYS, leases=leases, lock_ms=60_000)) == gone

    @precondition(lambda self: self.old_leases)
    @rule(pick=anybody, kind=kinds)
    def a_lost_worker_comes_back(self, pick: int, kind: Kind) -> None:
        job_id, token = self.old_leases[pick % len(self.old_leases)]
        late = FinishJobs(
            sender=self.sender,
            sequence=self.next(),
            finishes=[Finish(id=job_id, token=token, kind=kind, text='"late"', attempts=9)],
            want=CLAIMS_NOTHING,
            terms=TERMS,
        )
        finished = self.send(late)
        assert isinstance(finished, Finished)
        is_there = job_id in self.model.known
        assert finished.verdicts == [Verdict.LOCK_LOST if is_there else Verdict.MISSING]

    def anybody(self, pick: int) -> str:
        """Some job there is, or now and then one there is not."""
        ids = [*sorted(self.model.known), "nobody"]
        return ids[pick % len(ids)]


@pytest.mark.timeout(180)  # a history that disagrees takes its time to become short
@pytest.mark.parametrize(("history", "histories"), [(QueueHistory, 50), (MovedHistory, 100)])
def test_a_queue_is_what_its_history_says(
    redis_client: redis.Redis, history: type[QueueHistory], histories: int
) -> None:
    history.client = redis_client

    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        history, settings=settings(max_examples=histories, stateful_step_count=30, deadline=None)
    )
