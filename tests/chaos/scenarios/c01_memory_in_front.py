"""Memory in front of a cache, while the connections that tell of changes suffer all they can."""

import time

from tests.chaos.case import Case
from tests.chaos.scenario import Scenario
from tests.chaos.stage import Stage
from tests.support.cache_theatre import CacheTheatre, Play
from tests.support.servers import ValkeyServer

_BOUND_S = 3.0
_OUTAGE_S = 5.0


class MemoryInFront(Scenario):
    id = "C1"
    title = "memory in front of a cache"
    does = (
        "Six processes read a hundred keys of a cache with memory, two change and invalidate them. "
        "Kills the connections that tell of changes, kills all connections, swallows every byte "
        "for 5 s, stops a reader (SIGSTOP) for 5 s."
    )
    must = (
        "No read gives what had been wrong for more than 3 s; after a silence none gives what "
        "changed before its end; no read fails."
    )
    seconds = 90
    short = 26
    alone = True

    def play(self, stage: Stage) -> None:
        self.silences: list[float] = []
        with ValkeyServer() as truth, _theatre(stage, truth) as theatre:
            stage.begin(seconds=0)
            for number in stage.beats(1.5, least_s=_OUTAGE_S + 1):
                self._disturb(stage, theatre, number)
            self.seen: Play = theatre.end()

    def judge(self, case: Case) -> None:
        latest = self.seen.latest
        case.expect(latest.late_s <= _BOUND_S, f"{latest} is older than {_BOUND_S:g} s")
        case.expect(not self.seen.errors, f"reads failed: {self.seen.errors}")
        case.expect(self.seen.writes > case.faults * 10, f"only {self.seen.writes} writes")
        for end in self.silences:
            stale = self.seen.from_before(end)
            case.expect(not stale, f"{len(stale)} reads after a silence gave what was before it")
        case.recoveries += [sight.late_s for sight in self.seen.sights if sight.late_s > 0]

    def _disturb(self, stage: Stage, theatre: CacheTheatre, number: int) -> None:
        match number % 8:
            case 3:
                stage.record.fault("silence")
                stage.proxy.silence()
                stage.wait(_OUTAGE_S)
                self.silences.append(time.monotonic())
                stage.proxy.speak()
            case 6:
                stage.record.fault("stopped reader")
                with theatre.stopped_reader():
                    stage.wait(_OUTAGE_S)
            case 1 | 4:
                stage.record.fault("killed connections")
                stage.client.client_kill_filter(_type="normal", skipme=True)
            case _:
                stage.record.fault("killed links")
                _kill_links(stage)


def _theatre(stage: Stage, truth: ValkeyServer) -> CacheTheatre:
    return CacheTheatre(
        cache=stage.proxy.url,
        steady=stage.server.url,
        truth=truth.url,
        readers=6,
        seed=stage.dice.randrange(10**6),
    )


def _kill_links(stage: Stage) -> None:
    for client in stage.client.client_list():
        if "B" in client["flags"]:
            stage.client.client_kill_filter(_id=client["id"])
