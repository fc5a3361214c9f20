"""The server has stored the ends of jobs, and its answer never arrives."""

from tests.chaos.case import Case
from tests.chaos.scenario import Scenario
from tests.chaos.stage import Stage
from tests.support.proxy_rules import Fault, Rule

from toril.bullmq.operations.finish.finish_jobs import FINISH_JOBS


class FinishReplyCut(Scenario):
    id = "S10"
    title = "finish reply cut"
    does = "Cuts the connection after every 20th finish has reached the server; a few in the reply."
    must = "Nothing runs twice, nothing stalls; every job starts within 1 s."
    seconds = 60
    short = 16

    def play(self, stage: Stage) -> None:
        digest = FINISH_JOBS.sha.encode()
        stage.strike(Rule(digest, Fault.LOSE_HALF_REPLY, every=90))
        stage.strike(Rule(digest, Fault.LOSE_REPLY, every=20))
        stage.staff.hire(2, url=stage.proxy.url)
        stage.begin()
        stage.wait_for_end()

    def judge(self, case: Case) -> None:
        case.recovered_within(1.0, case.pickups(), "starting a job")
        case.expect(case.faults >= case.evidence.seconds, f"only {case.faults} cuts")
        case.no_stalls()
        case.calls_were_answered()
        case.adds_were_exact()
