"""Rate limits while replies are lost and the server forgets its scripts."""

from tests.chaos.case import Case
from tests.chaos.scenario import Scenario
from tests.chaos.stage import Stage
from tests.support.limit_fleet import LIMITS
from tests.support.proxy_rules import Fault, Rule

from toril.toolkit.limits.operations.hit import HIT

_RATIONED = "tests.chaos.programs.rationed"


class RateLimits(Scenario):
    id = "S23"
    title = "rate limits, cut"
    does = (
        f"Eight processes, half of whose clocks are an hour wrong, ask {len(LIMITS)} limits of all "
        "algorithms for as much as they can get; of every 200 replies one is lost."
    )
    must = (
        "By the server's moments no limit grants more than its algorithm promises, in any window; "
        "each grants something, and every key has an end."
    )
    seconds = 40
    short = 8
    programs = (_RATIONED,)

    def play(self, stage: Stage) -> None:
        stage.strike(Rule(HIT.sha.encode(), Fault.LOSE_REPLY, every=200))
        stage.begin(seconds=0)
        options = {"seconds": stage.seconds, "proxy": stage.proxy.url}
        stage.run(_RATIONED, options, timeout_s=stage.seconds + 60)
        for key in stage.client.scan_iter("toril:rl:*"):
            if stage.client.pttl(key) == -1:
                stage.record.problem(f"{key!r} has no end")

    def judge(self, case: Case) -> None:
        others = case.evidence.others
        case.expect(case.faults, "no reply was lost")
        case.expect(len(others["granted"]) == len(LIMITS), "not every limit was asked")
        case.expect(all(entry.number for entry in others["granted"]), "a limit granted nothing")
        for entry in others["too much"]:
            case.expect(not entry.note, entry.note)
