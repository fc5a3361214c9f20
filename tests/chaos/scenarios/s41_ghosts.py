"""Ids without a job, wherever a worker looks for jobs."""

from tests.chaos.case import Case
from tests.chaos.scenario import Scenario
from tests.chaos.stage import BASE, Stage

_EACH = 20


class Ghosts(Scenario):
    id = "S41"
    title = "ghost ids"
    does = "Puts 20 ids without a job into each place that a worker reads: wait, prioritized, "
    does += "delayed, active."
    must = "All are removed, each with an event; no other job is disturbed."
    seconds = 10
    short = 10

    def play(self, stage: Stage) -> None:
        stage.staff.hire(2)
        stage.begin()
        for _ in stage.beats(2, least_s=5):
            self._haunt(stage)

    def _haunt(self, stage: Stage) -> None:
        names = [stage.record.name("ghost") for _ in range(4 * _EACH)]
        for name in names:
            stage.record.fault(name)
        wait, prioritized, delayed, active = (names[start::4] for start in range(4))
        pipe = stage.client.pipeline()
        pipe.lpush(f"{BASE}wait", *wait)
        pipe.zadd(f"{BASE}prioritized", dict.fromkeys(prioritized, 1 << 32))
        pipe.zadd(f"{BASE}delayed", dict.fromkeys(delayed, 4096))
        pipe.lpush(f"{BASE}active", *active)
        pipe.zadd(f"{BASE}marker", {"0": 0})
        pipe.execute()

    def judge(self, case: Case) -> None:
        dropped = [entry.subject for entry in case.evidence.others["GhostDropped"]]
        ghosts = {entry.subject for entry in case.evidence.others["fault"]}
        case.expect(len(dropped) == len(set(dropped)), "a ghost was dropped twice")
        case.expect(set(dropped) == ghosts, f"{len(dropped)} of {len(ghosts)} ghosts were dropped")
        case.recoveries = case.pickups()
        case.no_stalls()
        case.calls_were_answered()
        case.adds_were_exact()
