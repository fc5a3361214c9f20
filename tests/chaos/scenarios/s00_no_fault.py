"""Nothing happens: what everything else is measured against."""

from tests.chaos.case import Case, percentile
from tests.chaos.scenario import Scenario
from tests.chaos.stage import Stage


class NoFault(Scenario):
    id = "S0"
    title = "no fault"
    does = "Nothing."
    must = "99 % of the jobs start within 50 ms; nothing runs twice."
    seconds = 30
    short = 10
    alone = True

    def play(self, stage: Stage) -> None:
        stage.staff.hire(2)
        stage.begin()
        stage.wait_for_end()

    def judge(self, case: Case) -> None:
        case.recoveries = case.pickups()
        p99 = percentile(case.recoveries, 99)
        case.expect(p99 <= 0.05, f"99 % of the jobs started within {p99:.3f} s, not 0.05")
        case.no_stalls()
        case.calls_were_answered()
        case.adds_were_exact()
