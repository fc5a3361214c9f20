"""The server has given out jobs, or rung the bell, and its answer never arrives."""

from tests.chaos.case import Case
from tests.chaos.scenario import Scenario
from tests.chaos.stage import Stage
from tests.support.proxy_rules import Fault, Rule

from toril.bullmq.operations.claim.claim import CLAIM


class ClaimReplyCut(Scenario):
    id = "S12"
    title = "claim or marker reply cut"
    does = "Cuts the connection after every 40th wait for work and every 40th claim."
    must = "Nothing runs twice; every job starts within 1 s."
    seconds = 60
    short = 16

    def play(self, stage: Stage) -> None:
        stage.strike(Rule(b"BZPOPMIN", Fault.LOSE_REPLY, every=40))
        stage.strike(Rule(CLAIM.sha.encode(), Fault.LOSE_REPLY, every=40))
        stage.staff.hire(2, url=stage.proxy.url)
        stage.begin()
        stage.wait_for_end()

    def judge(self, case: Case) -> None:
        case.recovered_within(1.0, case.pickups(), "starting a job")
        case.expect(case.faults >= case.evidence.seconds, f"only {case.faults} cuts")
        case.no_stalls()
        case.calls_were_answered()
        case.adds_were_exact()
