"""Ids and names made to collide with what a queue calls its own keys."""

from tests.chaos.case import Case
from tests.chaos.scenario import Scenario
from tests.chaos.stage import Stage

_NAMER = "tests.chaos.programs.namer"
_EXAMPLES = 500


class OddNames(Scenario):
    id = "S42"
    title = "ids and names at random"
    does = (
        f"Makes up {_EXAMPLES} ids and names of jobs, and {_EXAMPLES} names of queues, of the "
        "words that a queue calls its own keys, of letters that separate, end or match "
        "something, and of what is no text at all."
    )
    must = (
        "Each call is refused, or its job runs once under its own id and name; no other job is "
        "disturbed, and no key is of an unknown kind or of a foreign type."
    )
    seconds = 30
    short = 15
    programs = (_NAMER,)

    def play(self, stage: Stage) -> None:
        stage.staff.hire(2)
        stage.begin(rate=50)
        options = {"seed": stage.dice.getrandbits(32), "examples": _EXAMPLES}
        stage.run(_NAMER, options, timeout_s=2 * stage.seconds)
        stage.wait_for_end()

    def judge(self, case: Case) -> None:
        others = case.evidence.others
        named = [call.job_id for key, call in case.evidence.calls.items() if "namer" in key]
        opened = others["opened"]
        case.faults = len(named) + len(others["turned away"]) + len(opened)
        case.expect(len(named) > _EXAMPLES / 10, f"only {len(named)} ids were accepted")
        case.expect(len(opened) > _EXAMPLES / 10, f"only {len(opened)} queues were accepted")
        turned_away = len(others["turned away"])
        case.expect(turned_away > _EXAMPLES / 2, f"only {turned_away} calls were refused")
        unfound = [entry for entry in opened if not entry.number]
        case.expect(not unfound, f"{len(unfound)} queues did not have their job")
        case.recoveries = case.pickups()
        case.no_stalls()
        case.calls_were_answered()
        case.adds_were_exact()
