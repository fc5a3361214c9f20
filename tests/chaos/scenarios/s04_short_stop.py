"""A worker stands still, but for less than its lease: nobody should notice."""

from tests.chaos.case import Case
from tests.chaos.scenario import Scenario
from tests.chaos.staff import LEASE_S
from tests.chaos.stage import Stage


class ShortStop(Scenario):
    id = "S4"
    title = "worker stopped for L/2"
    does = "Stops a worker (SIGSTOP) for half of its lease, 20 times."
    must = "Nothing runs twice."
    seconds = 45

    def play(self, stage: Stage) -> None:
        stage.staff.hire(2)
        stage.begin()
        for _ in stage.beats(1.1, least_s=LEASE_S / 2):
            sleeper = stage.staff.pick()
            stage.staff.freeze(sleeper)
            stage.wait(LEASE_S / 2)
            stage.staff.thaw(sleeper)

    def judge(self, case: Case) -> None:
        case.recoveries = case.pickups()
        case.no_stalls()
        case.calls_were_answered()
        case.adds_were_exact()
