"""Play one scenario to its end, judge it, and write the verdict down."""

import json
import time
from pathlib import Path

from tests.chaos.case import Case, percentile
from tests.chaos.evidence import read_entries, read_queue
from tests.chaos.scenario import Scenario
from tests.chaos.stage import BASE, Stage
from tests.support.keyspace import check, queues


def play(scenario: Scenario, seed: int, seconds: float, folder: Path) -> int:
    """0 when it held. The verdict is in `folder`, with the journal and what the processes said."""
    began = time.monotonic()
    with Stage(
        folder,
        seed=seed,
        seconds=seconds,
        server=scenario.server,
        programs=scenario.programs,
    ) as stage:
        scenario.play(stage)
        stage.finish(scenario.drain_s)
        case = _case_of(scenario, stage)
    scenario.judge(case)
    case.judge_all()
    _write(case, folder / "verdict.json", time.monotonic() - began)
    return int(bool(case.problems))


def _case_of(scenario: Scenario, stage: Stage) -> Case:
    evidence = read_entries(stage.record.entries())
    read_queue(stage.client, BASE, evidence)
    violations = [
        f"keyspace: {violation}"
        for prefix, queue in queues(stage.client)
        for violation in check(stage.client, prefix, queue, ignoring=scenario.forgives)
    ]
    problems = [*stage.record.problems, *violations]
    return Case(evidence, struck=stage.struck, problems=problems)


def _write(case: Case, path: Path, seconds: float) -> None:
    evidence = case.evidence
    verdict = {
        "jobs": len(evidence.stored),
        "runs": sum(map(len, evidence.runs.values())),
        "lost": len(case.lost),
        "spent": case.spent,
        "dup": case.dups(),
        "dup_limit": case.dup_limit,
        "faults": case.faults,
        "p50": percentile(case.recoveries, 50),
        "p99": percentile(case.recoveries, 99),
        "worst": max(case.recoveries, default=0.0),
        "seconds": seconds,
        "problems": case.problems,
    }
    path.write_text(json.dumps(verdict, indent=1))
