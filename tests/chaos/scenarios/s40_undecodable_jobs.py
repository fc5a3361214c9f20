"""Thirty kinds of jobs that cannot be read, written straight into Redis."""

from tests.chaos.broken_jobs import FOREIGN, UNDECODABLE, Fields
from tests.chaos.case import Case
from tests.chaos.scenario import Scenario
from tests.chaos.stage import BASE, Stage

_ENDED_S = 1.0
_IDLE_S = 2.0
_BUSY_SHARE = 0.05


class UndecodableJobs(Scenario):
    id = "S40"
    title = "undecodable jobs"
    does = f"Writes {len(UNDECODABLE)} kinds of unreadable jobs and {len(FOREIGN) + 2} of foreign "
    does += "keys under the ids of jobs straight into Redis."
    must = (
        "Each fails with a reason, or is dropped as a ghost, within 1 s and without a run; "
        "no other job is disturbed; afterwards the workers are idle."
    )
    seconds = 20
    short = 12
    forgives = ("I2", "I3", "I24", "I31")

    def play(self, stage: Stage) -> None:
        stage.staff.hire(2)
        stage.begin(seconds=stage.seconds - 5)
        for number in stage.beats(2, least_s=8):
            for kind, fields in {**UNDECODABLE, **FOREIGN}.items():
                self._put(stage, f"{kind} {number}", fields)
            stage.client.set(f"{BASE}a string {number}", "no hash")
            self._put(stage, f"a string {number}", {})
            self._put(stage, f"nothing {number}", {})
        stage.wait_for_end()
        stage.staff.watch_cpu(_IDLE_S, stage.wait)

    def _put(self, stage: Stage, job_id: str, fields: Fields) -> None:
        stage.record.fault(job_id)
        pipe = stage.client.pipeline()
        if fields:
            pipe.hset(BASE + job_id, items=[part for pair in fields.items() for part in pair])
        pipe.lpush(f"{BASE}wait", job_id)
        pipe.zadd(f"{BASE}marker", {"0": 0})
        pipe.execute()

    def judge(self, case: Case) -> None:
        evidence = case.evidence
        dropped = {entry.subject: entry.at for entry in evidence.others["GhostDropped"]}
        took = []
        for entry in evidence.others["fault"]:
            stored = evidence.stored.get(entry.subject)
            case.expect(not evidence.runs.get(entry.subject), f"{entry.subject} was run")
            if stored is None:
                is_foreign = entry.subject.rpartition(" ")[0] not in UNDECODABLE
                case.expect(is_foreign, f"{entry.subject} is gone")
                took.append(dropped.get(entry.subject, float("inf")) - entry.at)
            else:
                case.expect(stored.places == ("failed",), f"{entry.subject} is in {stored.places}")
                case.expect(stored.fields.get("failedReason"), f"{entry.subject} has no reason")
                took.append((stored.number("finishedOn") - entry.wall_ms) / 1_000)
        case.recovered_within(_ENDED_S, took, "being done with a broken job")
        case.expect(len(took) >= len(UNDECODABLE), f"only {len(took)} broken jobs")
        busiest = max(entry.number for entry in evidence.others["cpu"]) / 1_000
        case.expect(busiest < _BUSY_SHARE, f"an idle worker took {busiest:.0%} of a core")
        case.no_stalls()
        case.calls_were_answered()
