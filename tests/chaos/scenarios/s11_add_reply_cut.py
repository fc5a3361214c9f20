"""The server has added a job, and its answer never arrives."""

from tests.chaos.case import Case
from tests.chaos.scenario import Scenario
from tests.chaos.stage import Stage
from tests.support.proxy_rules import Fault, Rule

from toril.bullmq.operations.add.add_jobs import ADD_JOBS


class AddReplyCut(Scenario):
    id = "S11"
    title = "add reply cut"
    does = "Cuts the connection after every 20th add has reached the server; half have a `job_id`."
    must = "Exactly one job for each call, with a `job_id` or without; no call raises."
    seconds = 30
    short = 12

    def play(self, stage: Stage) -> None:
        stage.strike(Rule(ADD_JOBS.sha.encode(), Fault.LOSE_REPLY, every=20))
        stage.staff.hire(2)
        stage.begin(url=stage.proxy.url, keyed=0.5)
        stage.wait_for_end()

    def judge(self, case: Case) -> None:
        case.recovered_within(1.0, case.answers(), "answering a call")
        jobs, calls = len(case.evidence.stored), len(case.evidence.calls)
        case.expect(jobs == calls, f"{jobs} jobs of {calls} calls")
        case.expect(case.faults >= case.evidence.seconds, f"only {case.faults} cuts")
        case.no_stalls()
        case.calls_were_answered()
        case.adds_were_exact()
