"""The network swallows everything for five seconds, in both directions, and says nothing."""

from tests.chaos.case import Case
from tests.chaos.scenario import Scenario
from tests.chaos.staff import CONCURRENCY
from tests.chaos.stage import Stage

_SILENCE_S = 5


class Blackhole(Scenario):
    id = "S14"
    title = "blackhole of 5 s"
    does = "Swallows every byte of every connection for 5 s, 5 times."
    must = "At most 16 repeats a silence; work resumes within 3 s of its end."
    seconds = 120
    short = 24

    def play(self, stage: Stage) -> None:
        stage.staff.hire(2, url=stage.proxy.url)
        stage.begin(url=stage.proxy.url)
        for _ in stage.beats(min(17.0, stage.seconds / 3), jitter=0.1, least_s=_SILENCE_S + 4):
            stage.record.fault("silence")
            stage.proxy.silence()
            stage.wait(_SILENCE_S)
            stage.proxy.speak()
            stage.record.healed()

    def judge(self, case: Case) -> None:
        case.dup_limit = case.overlap_limit = case.faults * 2 * CONCURRENCY
        case.recovered_within(3.0, case.resumptions(), "resuming")
        case.adds_were_exact()
