"""The judgement of a scenario: the laws that hold for all of them, and tools for their own."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from statistics import quantiles

from tests.chaos.evidence import Call, Evidence, Run, Stored


def percentile(values: Sequence[float], percent: int) -> float:
    """0 when there are none."""
    if len(values) < 2:
        return max(values, default=0.0)
    return quantiles(values, n=100, method="inclusive")[percent - 1]


class Case:
    """Evidence, and what a scenario allows of it; in the end, the problems.

    `struck` is how many requests met with a fault on their way.
    """

    def __init__(
        self, evidence: Evidence, *, struck: int = 0, problems: Iterable[str] = ()
    ) -> None:
        self.evidence = evidence
        self.problems = list(problems)
        self.faults = struck + len(evidence.others["fault"])
        self.recoveries: list[float] = []
        self.dup_limit = 0
        self.overlap_limit = 0
        self.lost = sorted(self._lost())
        self.spent = sum(stored.is_spent for stored in evidence.stored.values())

    def expect(self, condition: object, otherwise: str) -> None:
        """Note a problem unless this is so."""
        if not condition:
            self.problems.append(otherwise)

    def dups(self, of: Callable[[str], bool] = lambda _: True) -> int:
        """Runs that no attempt of their job accounts for."""
        return sum(self._dups_of(job_id) for job_id in self.evidence.runs if of(job_id))

    def judge_all(self) -> None:
        """What no scenario may leave behind."""
        self.expect(not self.lost, f"lost: {_some(self.lost)}")
        dups = self.dups()
        self.expect(dups <= self.dup_limit, f"{dups} dup, of {self.dup_limit} allowed")
        over = len(self.late_runs())
        allowed = self.overlap_limit
        self.expect(over <= allowed, f"{over} runs of a job at once, of {allowed} allowed")
        unhandled = self.evidence.others["unhandled"]
        self.expect(not unhandled, f"unhandled: {_some([entry.note for entry in unhandled])}")
        self._judge_ends()

    def recovered_within(self, limit_s: float, times: Iterable[float], what: str) -> None:
        """Take these as the recovery times of the scenario, with their limit."""
        taken = list(times)
        self.recoveries += taken
        worst = max(taken, default=0.0)
        self.expect(worst <= limit_s, f"{what} took {worst:.2f} s, {limit_s:g} allowed")

    def pickups(self) -> list[float]:
        """Seconds from each call to the first run of its job."""
        return [
            max(0.0, runs[0].began - call.at)
            for job_id, call in self.evidence.added.items()
            if (runs := self.evidence.runs.get(job_id))
        ]

    def answers(self) -> list[float]:
        """Seconds from each call to its answer, whatever that was."""
        return [call.answered - call.at for call in self.evidence.calls.values() if call.answered]

    def victims(self) -> list[float]:
        """Seconds from the death of a worker to the next run of each job that died with it."""
        dead = {entry.number: entry.at for entry in self.evidence.others["fault"] if entry.number}
        return [
            following.began - dead[run.pid]
            for runs in self.evidence.runs.values()
            for run, following in pairwise(runs)
            if run.ended is None and run.pid in dead
        ]

    def resumptions(self, after: str = "healed") -> list[float]:
        """Seconds from the end of each fault, or from the fault, to the next run that begins."""
        begins = [run.began for run in self.evidence.all_runs]
        healed = [entry.at for entry in self.evidence.others[after]]
        return [
            next((began - at for began in begins if began >= at), float("inf")) for at in healed
        ]

    def late_runs(self) -> list[Run]:
        """Runs that went on after another run of their job had begun."""
        return [late for runs in self.evidence.runs.values() for late in _late(runs)]

    def outcomes_were_refused(self, runs: Iterable[Run]) -> None:
        """Whoever ran these was told that the job was no longer theirs."""
        others = self.evidence.others
        told = {(e.subject, e.pid) for e in others["JobSuperseded"] + others["LeaseLost"]}
        bad = [f"{run.job_id} {run.how}" for run in runs if (run.job_id, run.pid) not in told]
        self.expect(not bad, f"late, and not refused: {_some(bad)}")

    def no_stalls(self) -> None:
        """No job was ever counted as lost with its worker."""
        stalled = [id_ for id_, stored in self.evidence.stored.items() if stored.number("stc")]
        self.expect(not stalled, f"counted as stalled: {_some(stalled)}")

    def both_sides_worked(self) -> None:
        """Workers of toril and of Node have run jobs."""
        ran = {run.pid for run in self.evidence.all_runs}
        ready = self.evidence.others["ready"]
        in_node = {entry.pid for entry in ready if entry.subject.startswith("node-")}
        self.expect(ran & in_node, "no worker of Node ran a job")
        self.expect(ran - in_node, "no worker of toril ran a job")

    def adds_were_exact(self) -> None:
        """There are as many jobs as calls that were told of one."""
        added = self.evidence.added
        calls = [call for call in self.evidence.calls.values() if call.verdict == "added"]
        self.expect(len(added) == len(calls), "two calls were told of the same job")
        sure = set(added) | {call.job_id for call in self._unsure() if call.job_id}
        strangers = set(self.evidence.stored) - sure
        unsure = sum(not call.job_id for call in self._unsure())
        self.expect(
            len(strangers) <= unsure, f"{len(strangers)} jobs nobody knows of: {_some(strangers)}"
        )

    def calls_were_answered(self) -> None:
        """No caller was refused, or left in the dark."""
        bad = [f"{call.key} {call.verdict}" for call in self.evidence.calls.values()]
        bad = [line for line in bad if not line.endswith(" added")]
        self.expect(not bad, f"calls without success: {_some(bad)}")

    def _unsure(self) -> list[Call]:
        return [c for c in self.evidence.calls.values() if c.verdict in ("", "unknown")]

    def _lost(self) -> Iterable[str]:
        for job_id in self.evidence.added:
            stored = self.evidence.stored.get(job_id)
            if stored is None or "active" in stored.places or self._is_undone(job_id, stored):
                yield job_id

    def _is_undone(self, job_id: str, stored: Stored) -> bool:
        """Whether it is said to be completed, and no handler ever came to its end."""
        return stored.places == ("completed",) and not self._was_done(job_id)

    def _was_done(self, job_id: str) -> bool:
        return any(run.how == "done" for run in self.evidence.runs.get(job_id, ()))

    def _dups_of(self, job_id: str) -> int:
        runs, stored = self.evidence.runs[job_id], self.evidence.stored.get(job_id)
        attempts = stored.number("atm") - stored.is_spent if stored else 1
        return max(0, len(runs) - max(1, attempts))

    def _judge_ends(self) -> None:
        told = self.evidence.told
        for job_id, stored in self.evidence.stored.items():
            [place, *more] = stored.places
            self.expect(not more, f"{job_id} is in {stored.places}")
            if place not in ("completed", "failed"):
                self.problems.append(f"{job_id} is still in {place}")
            ends = told["completed", job_id] + told["failed", job_id]
            self.expect(ends == 1, f"{job_id} ended {ends} times")
            if len(self.problems) > 20:
                return
        for job_id, runs in self.evidence.runs.items():
            numbers = [run.number for run in runs]
            is_growing = numbers == sorted(set(numbers))
            self.expect(is_growing, f"{job_id}: its starts are {numbers}")


def _late(runs: Sequence[Run]) -> Iterable[Run]:
    for run, following in pairwise(runs):
        if run.ended is not None and following.began < run.ended:
            yield run


def _some(things: Iterable[object]) -> str:
    listed = [str(thing) for thing in things]
    more = f" and {len(listed) - 3} more" if len(listed) > 3 else ""
    return ", ".join(listed[:3]) + more
