"""A queue as it should be, without Redis: who waits where, in which order, and who runs."""

import bisect
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from toril.bullmq.operations.add.add_jobs import Added, NewJob
from toril.bullmq.operations.inspect.counts import Counts


@dataclass
class Model:
    """What becomes of jobs that are added, taken and settled."""

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
    is_paused: bool = False
    lost: set[str] = field(default_factory=set)
    """Of those that run, the ones whose worker has gone."""
    suspects: set[str] = field(default_factory=set)
    """Those that ran at the last check for stalls, and were not heard of since."""
    starts: Counter[str] = field(default_factory=Counter)
    attempts: Counter[str] = field(default_factory=Counter)
    losses: Counter[str] = field(default_factory=Counter)

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
        ready = [*self.wait, *(job_id for *_, job_id in self.prioritized)]
        claimed = [] if self.is_paused else ready[:want]
        for job_id in claimed:
            self.leave(job_id)
            self.active[job_id] = token
            self.starts[job_id] += 1
        return claimed

    def finish(self, job_id: str, kind: str, keep: int) -> None:
        self.stop(job_id, counts=True)
        ended = self.completed if kind == "completed" else self.failed
        if keep == 0:
            self.forget(job_id)
            return
        bisect.insort(ended, (self.now_ms, job_id))
        while 0 < keep < len(ended):
            self.forget(ended.pop(0)[1])

    def give_back(self, job_id: str) -> None:
        self.stop(job_id)
        if priority := self.known[job_id]:
            bisect.insort(self.prioritized, (priority, 0, job_id))
        else:
            self.wait.insert(0, job_id)

    def retry(self, job_id: str, *, is_next: bool) -> None:
        self.stop(job_id, counts=True)
        self.make_ready(job_id, is_next=is_next)

    def delay(self, job_id: str, delay_ms: int) -> None:
        self.stop(job_id)
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

    def stop(self, job_id: str, *, counts: bool = False) -> None:
        del self.active[job_id]
        self.attempts[job_id] += counts
        self.lost.discard(job_id)
        self.suspects.discard(job_id)

    def leave(self, job_id: str) -> None:
        if job_id in self.wait:
            self.wait.remove(job_id)
        self.prioritized = [entry for entry in self.prioritized if entry[2] != job_id]

    def forget(self, job_id: str) -> None:
        del self.known[job_id]
        for counter in (self.starts, self.attempts, self.losses):
            del counter[job_id]

    @property
    def counts(self) -> Counts:
        return Counts(
            waiting=0 if self.is_paused else len(self.wait),
            paused=len(self.wait) if self.is_paused else 0,
            active=len(self.active),
            prioritized=len(self.prioritized),
            delayed=len(self.delayed),
            waiting_children=0,
            completed=len(self.completed),
            failed=len(self.failed),
        )


@dataclass
class MovingModel(Model):
    """What becomes of jobs that are moved, removed, or lost with their worker, besides."""

    def promote_one(self, job_id: str) -> bool:
        if not self.leave_delayed(job_id):
            return False
        self.make_ready(job_id, is_next=False)
        return True

    def promote_some(self, count: int) -> int:
        ids = [job_id for *_, job_id in self.delayed[:count]]
        return sum(map(self.promote_one, ids))

    def change_delay(self, job_id: str, delay_ms: int) -> bool:
        if not self.leave_delayed(job_id):
            return False
        self.put_off(job_id, delay_ms)
        return True

    def change_priority(self, job_id: str, priority: int, *, is_first: bool) -> bool:
        if job_id not in self.known:
            return False
        self.known[job_id] = priority
        if job_id not in self.ready:
            return True
        self.leave(job_id)
        if is_first and priority:
            bisect.insort(self.prioritized, (priority, 0, job_id))
        else:
            self.make_ready(job_id, is_next=is_first)
        return True

    def run_again(self, job_id: str, *, anew: bool) -> bool:
        if not self.leave_ended(job_id):
            return False
        if anew:
            del self.starts[job_id], self.attempts[job_id]
        self.make_ready(job_id, is_next=False)
        return True

    def run_some_again(self, kind: str, until_ms: int, count: int) -> int:
        ids = [job_id for ended_ms, job_id in self.ended(kind) if ended_ms <= until_ms][:count]
        return sum(self.run_again(job_id, anew=False) for job_id in ids)

    def remove(self, job_id: str) -> int | None:
        """How many jobs went, or None when a worker has it."""
        if job_id in self.active and job_id not in self.lost:
            return None
        if job_id not in self.known:
            return 0
        if job_id in self.active:
            self.stop(job_id)
        self.leave(job_id)
        self.leave_delayed(job_id)
        self.leave_ended(job_id)
        self.forget(job_id)
        return 1

    def drain(self, count: int, *, delayed: bool) -> int:
        put_off = [job_id for *_, job_id in self.delayed] if delayed else []
        return sum(self.remove(job_id) or 0 for job_id in [*self.ready, *put_off][:count])

    def clean(self, kind: str, count: int) -> list[str]:
        ids = [job_id for _, job_id in self.ended(kind)][:count]
        for job_id in ids:
            self.remove(job_id)
        return ids

    def stalled(self) -> set[str]:
        """Those that the next check puts back."""
        return self.suspects & self.lost

    def put_back(self, order: Sequence[str]) -> None:
        """After that check, which finds stalled jobs in no certain order."""
        for job_id in order:
            self.stop(job_id)
            self.losses[job_id] += 1
            self.wait.insert(0, job_id)
        self.suspects = set(self.active)

    def ended(self, kind: str) -> list[tuple[int, str]]:
        return self.completed if kind == "completed" else self.failed

    def leave_delayed(self, job_id: str) -> bool:
        staying = [entry for entry in self.delayed if entry[2] != job_id]
        was_there = len(staying) < len(self.delayed)
        self.delayed = staying
        return was_there

    def leave_ended(self, job_id: str) -> bool:
        for ended in (self.completed, self.failed):
            for entry in ended:
                if entry[1] == job_id:
                    ended.remove(entry)
                    return True
        return False

    @property
    def ready(self) -> list[str]:
        return [*self.wait, *(job_id for *_, job_id in self.prioritized)]
